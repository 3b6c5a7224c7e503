{{- /* Generated from scripts/chart/values.ts and src/config by npm run generate. Do not edit. */ -}}
{{- define "operator.misnomers" -}}
replicaCount	use replicas
image.registry	use image.repository, which has registry and name
image.name	use image.repository
apiKey	use credentials.apiKey
cloudUrl	use config.cloudUrl
namespaces	use config.namespaces
watchNamespaces	use config.namespaces
logLevel	use config.logLevel
metrics.enabled	use metrics.serviceMonitor.enabled; /metrics itself is always served
serviceMonitor	use metrics.serviceMonitor
podMonitor	use metrics.podMonitor
prometheusRule	use metrics.prometheusRule
dashboard	use metrics.dashboard
grafana	use metrics.dashboard
service	use metrics.service
podDisruptionBudget.minAvailable	use podDisruptionBudget.enabled: one Pod at a time may be away
podDisruptionBudget.maxUnavailable	use podDisruptionBudget.enabled: one Pod at a time may be away
installCRDs	use crds.install
crds.enabled	use crds.install
serviceAccount.automountServiceAccountToken	the operator needs its token
strategy	the chart sets the strategy of the Deployment
livenessProbe	use livenessTimeoutSeconds
readinessProbe	the chart sets the probe
env	use extraEnv
args	use extraArgs
extraContainers	add containers with a policy, or with kustomize
initContainers	add containers with a policy, or with kustomize
hostNetwork	the operator needs no network of the node
labels	use commonLabels
annotations	use deploymentAnnotations or podAnnotations
{{- end -}}
