{{- define "operator.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Of what belongs to this installation but to no namespace. Two installations may have one name in two namespaces; a colon is in no name of a namespace. */ -}}
{{- define "operator.clusterName" -}}
{{ .Release.Namespace }}:{{ include "operator.fullname" . }}
{{- end -}}

{{- /* Of the Lease. Not the full name: a release that is called otherwise in an upgrade would have two Leases for a moment, and two Pods that act. */ -}}
{{- define "operator.leaseName" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name }}
{{- else -}}
{{ .Release.Name }}-{{ .Chart.Name }}
{{- end -}}
{{- end -}}

{{- define "operator.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- /* Of what all installations of a cluster share. */ -}}
{{- define "operator.sharedLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | quote }}
app.kubernetes.io/part-of: managed-db
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "operator.labels" -}}
{{ include "operator.selectorLabels" . }}
{{ include "operator.sharedLabels" . }}
{{- end -}}

{{- define "operator.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "operator.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ .Values.serviceAccount.name }}
{{- end -}}
{{- end -}}

{{- define "operator.credentialsSecretName" -}}
{{ default (printf "%s-key" (include "operator.fullname" .)) .Values.credentials.existingSecret }}
{{- end -}}

{{- define "operator.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "operator.lease" -}}
{{ .Release.Namespace }}/{{ include "operator.leaseName" . }}
{{- end -}}

{{- /* What is looked after: names with commas, or * for all. */ -}}
{{- define "operator.scope" -}}
{{ join "," .Values.config.namespaces | default "*" }}
{{- end -}}

{{- define "operator.healthPort" -}}
{{ regexFind "[0-9]+$" .Values.config.healthAddress }}
{{- end -}}

{{- /* The settings under config, and those that the chart knows better. */ -}}
{{- define "operator.settings" -}}
{{- $settings := omit .Values.config "cloudCaFile" "sizes" "regions" -}}
{{- if .Values.simulator.enabled -}}
{{- $_ := set $settings "cloudUrl" (printf "http://127.0.0.1:%d" (int .Values.simulator.port)) -}}
{{- if not .Values.config.operatorCredentialsNamespaces -}}
{{- $_ := set $settings "operatorCredentialsNamespaces" (list "*") -}}
{{- end -}}
{{- else -}}
{{- $_ := set $settings "apiKeyFile" (printf "/etc/managed-db/%s" .Values.credentials.key) -}}
{{- end -}}
{{- $_ := set $settings "leaderElect" true -}}
{{- $_ := set $settings "leaderElectResourceName" (include "operator.leaseName" .) -}}
{{- $_ := set $settings "leaderElectResourceNamespace" .Release.Namespace -}}
{{- toYaml $settings -}}
{{- end -}}

{{- /* Each setting as a flag: lists with commas, and nothing where nothing is given. Kubernetes would take $(…) for a variable. */ -}}
{{- define "operator.args" -}}
{{- range $name, $value := include "operator.settings" . | fromYaml }}
{{- if kindIs "slice" $value }}
{{- if $value }}
- {{ printf "--%s=%s" (kebabcase $name) (join "," $value) | quote }}
{{- end }}
{{- else if kindIs "float64" $value }}
- {{ printf "--%s=%d" (kebabcase $name) (int64 $value) | quote }}
{{- else if ne (toString $value) "" }}
- {{ printf "--%s=%v" (kebabcase $name) (toString $value | replace "$" "$$") | quote }}
{{- end }}
{{- end }}
{{- if .Values.config.controllerRing }}
- --shard-name=$(POD_NAME)
{{- end }}
{{- end -}}

{{- /* The address of the cloud that its Deployment has before an upgrade. Empty for an installation, and where no cluster is asked. */ -}}
{{- define "operator.cloudBefore" -}}
{{- $found := lookup "apps/v1" "Deployment" .Release.Namespace (include "operator.fullname" .) -}}
{{- range dig "spec" "template" "spec" "containers" list $found }}
{{- range .args }}
{{- if hasPrefix "--cloud-url=" . }}{{ trimPrefix "--cloud-url=" . }}{{ end }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* Whether its Pods share the objects, or did until this upgrade. A Pod that has all objects goes by another Lease, and would act beside them. */ -}}
{{- define "operator.isOrWasSharded" -}}
{{- $found := lookup "apps/v1" "Deployment" .Release.Namespace (include "operator.fullname" .) -}}
{{- if or .Values.config.controllerRing (contains "--controller-ring=" (toJson $found)) }}true{{ end }}
{{- end -}}

{{- /* Of what stays when the release goes, and when it leaves the manifests: Helm, Argo CD and Flux each have a word of their own. */ -}}
{{- define "operator.keep" -}}
argocd.argoproj.io/sync-options: Prune=false,Delete=false
helm.sh/resource-policy: keep
kustomize.toolkit.fluxcd.io/prune: disabled
{{- end -}}

{{- /* Of what guards the databases of kept objects, or lets others see them: it stays, for another installation may need it, too. */ -}}
{{- define "operator.guardMetadata" -}}
labels:
  {{- include "operator.sharedLabels" . | nindent 2 }}
annotations:
  {{- include "operator.keep" . | nindent 2 }}
{{- end -}}
