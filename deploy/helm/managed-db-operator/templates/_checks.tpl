{{- /*
What no value says alone: all that is wrong with the values together, before anything is made. A check tells what, where, which value, and what to do, a
line each. What a value may be by itself is in values.schema.json, unless Helm would quote a pattern that nobody reads, or a secret.
*/ -}}
{{- define "operator.checks" -}}
{{- /* Alone, since the other checks look at these values. */ -}}
{{- $wrong := include "operator.check.nulls" . | splitList "\n" | compact }}
{{- if not $wrong }}
{{- range list "misnomers" "earlier" "image" "cloud" "cloudUrl" "apiKey" "networkPolicy" "ledger" "leaderElection" "controllerRing" "ports" "extraArgs" "extraEnv" "labels" "volumes" "mounts" "securityContext" "topologySpread" "resources" "names" "scraping" "tolerations" }}
{{- $wrong = concat $wrong (include (printf "operator.check.%s" .) $ | splitList "\n" | compact) }}
{{- end }}
{{- end }}
{{- if $wrong }}
{{- fail (printf "these values cannot be used:\n- %s\n" (join "\n- " $wrong)) }}
{{- end }}
{{- end -}}

{{- /* Helm takes a null as the wish to have no such value, not even the default. Of a part that is gone its own values are not told. */ -}}
{{- define "operator.check.nulls" -}}
{{- range $path := include "operator.needed" . | splitList "\n" }}
{{- $value := $.Values }}
{{- $gone := list }}
{{- $way := list }}
{{- range $name := splitList "." $path }}
{{- $way = append $way $name }}
{{- if not $gone }}
{{- if kindIs "invalid" (index $value $name) }}
{{- $gone = $way }}
{{- else }}
{{- $value = index $value $name }}
{{- end }}
{{- end }}
{{- end }}
{{- if eq $path (join "." $gone) }}
{{ $path }}: null takes the default away, and the chart needs a value there: leave it out, or give one
{{- end }}
{{- end }}
{{- end -}}

{{- /* Names that other charts have. */ -}}
{{- define "operator.check.misnomers" -}}
{{- range $line := include "operator.misnomers" . | splitList "\n" }}
{{- $path := splitList "\t" $line | first }}
{{- $value := $.Values }}
{{- range $name := splitList "." $path }}
{{- $value = kindIs "map" $value | ternary (get (kindIs "map" $value | ternary $value dict) $name) "" }}
{{- end }}
{{- if not (or (kindIs "invalid" $value) (eq (toString $value) "")) }}
{{ $path }}: this chart has no such value: {{ splitList "\t" $line | last }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* What --reuse-values carries along of an earlier chart: its default was false. */ -}}
{{- define "operator.check.earlier" -}}
{{- if .Values.allNamespaces }}
allNamespaces: leave it out: the chart looks for other installations itself
{{- end }}
{{- end -}}

{{- define "operator.check.image" -}}
{{- if and .Values.image.digest .Values.image.tag }}
image.digest counts and image.tag is ignored: leave out image.tag, or set image.digest="" (a released chart has a digest of its own)
{{- end }}
{{- end -}}

{{- define "operator.check.cloud" -}}
{{- $credentials := .Values.credentials }}
{{- if .Values.simulator.enabled }}
{{- if .Values.config.cloudUrl }}
simulator.enabled makes a cloud of its own: leave out config.cloudUrl, or simulator.enabled
{{- end }}
{{- if or $credentials.apiKey $credentials.existingSecret }}
simulator.enabled makes a cloud with a key of its own: leave out credentials.apiKey and credentials.existingSecret, or simulator.enabled
{{- end }}
{{- else if not .Values.config.cloudUrl }}
config.cloudUrl: say where the cloud's API is, or set simulator.enabled=true to try things out without a cloud
{{- end }}
{{- if and $credentials.apiKey $credentials.existingSecret }}
credentials.apiKey makes a Secret of its own: leave out credentials.existingSecret, or credentials.apiKey
{{- end }}
{{- if not (or .Values.serviceAccount.create .Values.serviceAccount.name) }}
serviceAccount.name: name the ServiceAccount that exists, or set serviceAccount.create=true
{{- end }}
{{- end -}}

{{- /* In the words of the operator, and as it does without what may be a password: all before the last @, and the query. A test holds both against each other. */ -}}
{{- define "operator.check.cloudUrl" -}}
{{- with .Values.config.cloudUrl }}
{{- if not (regexMatch (include "operator.pattern.cloudUrl" $) .) }}
{{- $shown := regexReplaceAll "(?s)[?#].*$" (regexReplaceAll "(?is)^(https?:/*)?.*@" . "${1}***@") "?***" }}
config.cloudUrl: {{ quote $shown }}: must be an https URL of host and path, such as https://api.example.com/v1 (http only for this machine; no user, query or fragment)
{{- end }}
{{- end }}
{{- end -}}

{{- define "operator.check.apiKey" -}}
{{- if not (regexMatch "^[!-~]*$" (.Values.credentials.apiKey | default "")) }}
credentials.apiKey: must be letters, digits and signs without spaces, as the cloud gave it: there may be a line break at its end
{{- end }}
{{- end -}}

{{- define "operator.check.networkPolicy" -}}
{{- $peers := dict }}
{{- range $index, $peer := .Values.networkPolicy.metricsFrom }}
{{- $_ := set $peers (printf "metricsFrom[%d]" $index) $peer }}
{{- end }}
{{- range $index, $rule := .Values.networkPolicy.extraEgress }}
{{- range $place, $peer := $rule.to }}
{{- $_ := set $peers (printf "extraEgress[%d].to[%d]" $index $place) $peer }}
{{- end }}
{{- end }}
{{- range $index, $rule := .Values.networkPolicy.extraEgress }}
{{- range $place, $port := $rule.ports }}
{{- if and $port.endPort (or (not (kindIs "float64" $port.port)) (lt (float64 $port.endPort) (float64 $port.port))) }}
networkPolicy.extraEgress[{{ $index }}].ports[{{ $place }}].endPort: {{ $port.endPort }} needs a port that is a number and not greater
{{- end }}
{{- end }}
{{- end }}
{{- range $where, $peer := $peers }}
{{- with $peer.ipBlock }}
{{- range prepend (.except | default list) .cidr }}
{{- if not (regexMatch (include "operator.pattern.cidr" $) .) }}
networkPolicy.{{ $where }}.ipBlock: {{ quote . }} must be a range of addresses, such as 10.0.0.0/8 or fd00::/8
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* Tenants read Secrets in their namespaces. The release's own namespace goes with the release, and the ledger has to stay. */ -}}
{{- define "operator.check.ledger" -}}
{{- $namespace := .Values.config.ledgerNamespace }}
{{- if has $namespace (.Values.config.namespaces | default list) }}
config.ledgerNamespace: {{ $namespace }} is in config.namespaces, where tenants read Secrets: choose another namespace
{{- end }}
{{- if eq $namespace .Release.Namespace }}
config.ledgerNamespace: {{ $namespace }} is the namespace of the release, too: choose another namespace
{{- end }}
{{- end -}}

{{- /* The rules of the operator itself (src/config): a test holds both against each other. */ -}}
{{- define "operator.check.leaderElection" -}}
{{- $config := .Values.config }}
{{- $duration := include "operator.ms" $config.leaderElectLeaseDuration | float64 }}
{{- $deadline := include "operator.ms" $config.leaderElectRenewDeadline | float64 }}
{{- $retry := include "operator.ms" $config.leaderElectRetryPeriod | float64 }}
{{- if ge $deadline $duration }}
config.leaderElectRenewDeadline: {{ $config.leaderElectRenewDeadline }} must be shorter than config.leaderElectLeaseDuration ({{ $config.leaderElectLeaseDuration }})
{{- end }}
{{- if ge (mulf $retry 1.2) $deadline }}
config.leaderElectRetryPeriod: {{ $config.leaderElectRetryPeriod }} must fit more than 1.2 times into config.leaderElectRenewDeadline ({{ $config.leaderElectRenewDeadline }})
{{- end }}
{{- if eq $retry 0.0 }}
config.leaderElectRetryPeriod: {{ $config.leaderElectRetryPeriod }} must be more than 0
{{- end }}
{{- end -}}

{{- define "operator.check.controllerRing" -}}
{{- if and .Values.config.controllerRing .Values.simulator.enabled }}
config.controllerRing: is not for a simulator, which is a cloud of one Pod alone: leave it out, or leave out simulator.enabled
{{- end }}
{{- end -}}

{{- define "operator.check.ports" -}}
{{- if not (regexMatch (include "operator.pattern.healthAddress" $) .Values.config.healthAddress) }}
config.healthAddress: {{ quote .Values.config.healthAddress }} must be every address of the Pod, :8080, 0.0.0.0:8080 or [::]:8080, with a port up to 65535
{{- end }}
{{- if and .Values.simulator.enabled (eq (include "operator.healthPort" .) (toString .Values.simulator.port)) }}
simulator.port: {{ .Values.simulator.port }} is the port of config.healthAddress, too: choose another
{{- end }}
{{- end -}}

{{- /* Who acts is not for extras to say either: a rollout from one Lease to another, or to none, would have two that act. */ -}}
{{- define "operator.check.extraArgs" -}}
{{- range $index, $text := .Values.extraArgs }}
{{- $flag := regexFind "^--[a-z][-a-z0-9]*" $text }}
{{- $value := include "operator.valueOf" (list $ $flag) }}
{{- if not (regexMatch "^--[a-z][-a-z0-9]*=\\P{Cc}+$" $text) }}
extraArgs[{{ $index }}]: must be --kubeconfig=… or --context=…, the flag and its value in one text
{{- else if $value }}
extraArgs: {{ $flag }} is set by {{ $value }}: set it there
{{- else if hasPrefix "--leader-elect" $flag }}
extraArgs: {{ $flag }} is not for here: the chart always elects the Pod that acts, by one Lease of the release
{{- else if eq "--shard-name" $flag }}
extraArgs: --shard-name is not for here: with config.controllerRing it is the name of the Pod
{{- else if eq "--api-key-file" $flag }}
extraArgs: --api-key-file is set by the chart: put the key into a Secret, and name that in credentials.existingSecret
{{- else if not (has $flag (list "--kubeconfig" "--context")) }}
extraArgs: {{ $flag }} is no setting of the operator: leave it out, and keep secrets in a Secret, since everybody who may read the Deployment sees its flags
{{- end }}
{{- end }}
{{- end -}}

{{- /* Which value under config is the flag, if there is one. */ -}}
{{- define "operator.valueOf" -}}
{{- $flag := index . 1 }}
{{- range $name, $_ := (index . 0).Values.config }}{{ if eq $flag (printf "--%s" (kebabcase $name)) }}config.{{ $name }}{{ end }}{{ end }}
{{- end -}}

{{- define "operator.check.extraEnv" -}}
{{- $names := list }}
{{- range .Values.extraEnv }}
{{- if has .name $names }}
extraEnv: {{ .name }} is there twice: leave out one of them
{{- end }}
{{- $names = append $names .name }}
{{- if eq "MANAGED_DB_API_KEY" .name }}
extraEnv: MANAGED_DB_API_KEY is not for here, where everybody who may read the Deployment would see it: put the key into a Secret, and name that in credentials.existingSecret
{{- else if hasPrefix "MANAGED_DB_" .name }}
{{- $flag := printf "--%s" (trimPrefix "MANAGED_DB_" .name | lower | replace "_" "-") }}
extraEnv: {{ .name }} is not for here: {{ with include "operator.valueOf" (list $ $flag) }}set {{ . }}{{ else }}it is for the chart to say, or no setting of the operator{{ end }}
{{- end }}
{{- if and (eq "NODE_EXTRA_CA_CERTS" .name) $.Values.config.cloudCaFile }}
extraEnv: NODE_EXTRA_CA_CERTS is set by config.cloudCaFile: leave out one of them
{{- end }}
{{- if and .value .valueFrom }}
extraEnv: {{ .name }} has a value and a valueFrom: leave out one of them
{{- end }}
{{- if or (regexMatch "^[A-Za-z][-+.A-Za-z0-9]*://[^/]*@" (.value | default "")) (and (regexMatch "(?i)^(https?|all)_proxy$" .name) (contains "@" (.value | default ""))) }}
extraEnv: {{ .name }} is a URL with a user in it, which everybody who may read the Deployment would see: put it into a Secret, and name that in valueFrom.secretKeyRef
{{- end }}
{{- end }}
{{- end -}}

{{- /* A label that is there twice would be one of the two, and one of RBAC would give the operator's rights to tenants. */ -}}
{{- define "operator.check.labels" -}}
{{- $metrics := .Values.metrics }}
{{- range $where, $given := dict "commonLabels" .Values.commonLabels "podLabels" .Values.podLabels "metrics.serviceMonitor.labels" $metrics.serviceMonitor.labels "metrics.prometheusRule.labels" $metrics.prometheusRule.labels "metrics.dashboard.labels" $metrics.dashboard.labels }}
{{- range $key, $_ := $given }}
{{- if or (regexMatch "^app\\.kubernetes\\.io/(name|instance|part-of|version|managed-by)$" $key) (regexMatch "^(helm\\.sh|managed-db\\.io|pod-security\\.kubernetes\\.io|rbac\\.authorization\\.k8s\\.io|servicebinding\\.io)/" $key) }}
{{ $where }}: the label {{ $key }} is the chart's own: leave it out
{{- end }}
{{- if and (ne $where "commonLabels") (hasKey ($.Values.commonLabels | default dict) $key) }}
{{ $where }}: the label {{ $key }} is in commonLabels, too: leave out one of them
{{- end }}
{{- end }}
{{- end }}
{{- range $key, $_ := .Values.deploymentAnnotations }}
{{- if hasPrefix "managed-db.io/" $key }}
deploymentAnnotations: {{ $key }} is the chart's own: leave it out
{{- end }}
{{- end }}
{{- if hasKey (.Values.podAnnotations | default dict) "kubectl.kubernetes.io/default-container" }}
podAnnotations: kubectl.kubernetes.io/default-container is the chart's own: leave it out
{{- end }}
{{- end -}}

{{- define "operator.check.volumes" -}}
{{- $names := ternary list (list "api-key") .Values.simulator.enabled }}
{{- range .Values.extraVolumes }}
{{- if has .name $names }}
extraVolumes: there is a volume {{ .name }} already: choose another name
{{- end }}
{{- $names = append $names .name }}
{{- end }}
{{- $paths := list }}
{{- range .Values.extraVolumeMounts }}
{{- if not (has .name $names) }}
extraVolumeMounts: there is no volume {{ .name }}: add it to extraVolumes
{{- end }}
{{- if has (clean .mountPath) $paths }}
extraVolumeMounts: something is mounted at {{ .mountPath }} already: choose another path
{{- end }}
{{- $paths = append $paths (clean .mountPath) }}
{{- end }}
{{- end -}}

{{- /* A mount over them, over what they are in, or in them would hide the program, its rights or its key. */ -}}
{{- define "operator.check.mounts" -}}
{{- $needed := list "/app" "/var/run/secrets/kubernetes.io/serviceaccount" "/run/secrets/kubernetes.io/serviceaccount" }}
{{- if not .Values.simulator.enabled }}{{ $needed = append $needed "/etc/managed-db" }}{{ end }}
{{- range $mount := .Values.extraVolumeMounts }}
{{- $path := printf "%s/" (clean $mount.mountPath | trimSuffix "/") }}
{{- range $needed }}
{{- if or (hasPrefix $path (printf "%s/" .)) (hasPrefix (printf "%s/" .) $path) }}
extraVolumeMounts: {{ $mount.mountPath }} would hide {{ . }}, which the operator needs: choose another path
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "operator.check.securityContext" -}}
{{- $own := .Values.securityContext | default dict }}
{{- $all := deepCopy (.Values.podSecurityContext | default dict) }}
{{- range $name, $value := $own }}{{ $_ := set $all $name $value }}{{ end }}
{{- if and $all.runAsNonRoot (hasKey $all "runAsUser") (eq (int $all.runAsUser) 0) }}
{{ ternary "securityContext" "podSecurityContext" (hasKey $own "runAsUser") }}.runAsUser: 0 is root, and runAsNonRoot is true: no Pod would start; set another user
{{- end }}
{{- if and $own.privileged (eq (toString $own.allowPrivilegeEscalation) "false") }}
securityContext.privileged: true needs allowPrivilegeEscalation=true; the operator needs neither: leave it out
{{- end }}
{{- range $how, $names := $own.capabilities }}
{{- range $names }}
{{- if hasPrefix "CAP_" . }}
securityContext.capabilities.{{ $how }}: {{ . }} is called {{ trimPrefix "CAP_" . }} in Kubernetes: leave out CAP_
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "operator.check.topologySpread" -}}
{{- $seen := list }}
{{- range .Values.topologySpreadConstraints }}
{{- $pair := printf "%s with %s" .topologyKey .whenUnsatisfiable }}
{{- if has $pair $seen }}
topologySpreadConstraints: {{ $pair }} is there twice: leave out one of them
{{- end }}
{{- $seen = append $seen $pair }}
{{- end }}
{{- end -}}

{{- define "operator.check.resources" -}}
{{- range $where, $given := dict "resources" (.Values.resources | default dict) "simulator.resources" (.Values.simulator.resources | default dict) }}
{{- range $name, $request := $given.requests }}
{{- $limit := get ($given.limits | default dict) $name }}
{{- if and (or (contains "/" $name) (hasPrefix "hugepages-" $name)) (ne (toString $request) (toString $limit)) }}
{{ $where }}.requests.{{ $name }}: {{ $request }} must be in {{ $where }}.limits, too, and the same: it cannot be shared
{{- else if and (not (kindIs "invalid" $limit)) (ne (toString $limit) "") }}
{{- if gt (include "operator.quantity" $request | float64) (include "operator.quantity" $limit | float64) }}
{{ $where }}.requests.{{ $name }}: {{ $request }} is more than {{ $where }}.limits.{{ $name }} ({{ $limit }}): lower it, or raise the limit
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* A Service may have fewer names than a release. */ -}}
{{- define "operator.check.names" -}}
{{- $name := include "operator.fullname" . }}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) }}
fullnameOverride: the release {{ .Release.Name }} would make a Service {{ $name }}, which has to be small letters, digits and dashes, and begin with a letter: set fullnameOverride
{{- end }}
{{- end -}}

{{- define "operator.check.scraping" -}}
{{- range $name := list "serviceMonitor" "podMonitor" }}
{{- with index $.Values.metrics $name }}
{{- if and .interval .scrapeTimeout }}
{{- if gt (include "operator.ms" .scrapeTimeout | float64) (include "operator.ms" .interval | float64) }}
metrics.{{ $name }}.scrapeTimeout: {{ .scrapeTimeout }} must not be longer than metrics.{{ $name }}.interval ({{ .interval }})
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if and .Values.metrics.serviceMonitor.enabled .Values.metrics.podMonitor.enabled }}
metrics.podMonitor.enabled: with metrics.serviceMonitor.enabled each sample would be taken twice: set one of the two
{{- end }}
{{- end -}}

{{- define "operator.check.tolerations" -}}
{{- range .Values.tolerations }}
{{- if and (not .key) (ne (.operator | default "") "Exists") }}
tolerations: one without a key needs the operator Exists
{{- end }}
{{- if and (eq (.operator | default "") "Exists") .value }}
tolerations: one with the operator Exists has no value: leave out {{ .value }}
{{- end }}
{{- if and (hasKey . "tolerationSeconds") (ne (.effect | default "") "NoExecute") }}
tolerations: tolerationSeconds needs the effect NoExecute
{{- end }}
{{- end }}
{{- end -}}

{{- /* Of a duration such as 1.5s. */ -}}
{{- define "operator.ms" -}}
{{ mulf (regexFind "^[0-9.]+" . | float64) (get (dict "ms" 1.0 "s" 1000.0 "m" 60000.0 "h" 3600000.0) (regexFind "[a-z]+$" .)) }}
{{- end -}}

{{- /* Of a quantity such as 100m, 1Gi or 1e3. */ -}}
{{- define "operator.quantity" -}}
{{- $text := toString . }}
{{- $number := regexFind "^[0-9.]+([eE][-+]?[0-9]+)?" $text }}
{{- $units := dict "" 1.0 "n" 1e-9 "u" 1e-6 "m" 1e-3 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 "Pi" 1125899906842624.0 "Ei" 1152921504606846976.0 }}
{{- mulf (float64 $number) (get $units (trimPrefix $number $text)) }}
{{- end -}}
