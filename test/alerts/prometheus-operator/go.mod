// The definitions of ServiceMonitor and PrometheusRule: files in this module, which no Go code imports.
module definitions

go 1.26

require github.com/prometheus-operator/prometheus-operator v0.86.1
