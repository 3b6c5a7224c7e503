{{- /*
Two installations that look after the same objects would undo each other's work: they elect by two Leases, and so two Pods act. Each says on its bindings
and its Deployment which Lease it has, and which namespaces it looks after. The policy managed-db-installations asks the same of whatever is applied.
*/ -}}
{{- define "operator.claim" -}}
managed-db.io/lease: {{ include "operator.lease" . | quote }}
managed-db.io/namespaces: {{ include "operator.scope" . | quote }}
{{- end -}}

{{- /*
Asked before anything is made. A lookup is empty where no cluster is asked, as in helm template. Who makes no bindings may not be allowed to list those of
the cluster; a ServiceAccount that has its rights already is in this namespace.
*/ -}}
{{- define "operator.refuseSecond" -}}
{{- if .Values.rbac.create }}
{{- range (lookup "rbac.authorization.k8s.io/v1" "ClusterRoleBinding" "" "").items }}
{{- include "operator.refuseOverlap" (list $ (include "operator.clusterName" $) "ClusterRoleBinding" .) }}
{{- end }}
{{- end }}
{{- range (lookup "apps/v1" "Deployment" .Release.Namespace "").items }}
{{- include "operator.refuseOverlap" (list $ (include "operator.fullname" $) "Deployment" .) }}
{{- end }}
{{- end -}}

{{- /* By its Lease; without one, what an earlier chart made. */ -}}
{{- define "operator.isInstallation" -}}
{{- $isOfEarlierBinding := and .roleRef (contains ":" .metadata.name) (eq .metadata.name (dig "roleRef" "name" "" .)) }}
{{- $isOfEarlierDeployment := hasPrefix "managed-db-operator-" (dig "metadata" "labels" "helm.sh/chart" "" .) }}
{{- if or (dig "metadata" "annotations" "managed-db.io/lease" "" .) $isOfEarlierBinding (and (not .roleRef) $isOfEarlierDeployment) }}true{{ end }}
{{- end -}}

{{- /* The root, the name that is its own, and what was found: its kind, and itself. */ -}}
{{- define "operator.refuseOverlap" -}}
{{- $root := index . 0 }}
{{- $found := (index . 3).metadata }}
{{- $labels := $found.labels | default dict }}
{{- $annotations := $found.annotations | default dict }}
{{- $isOwn := or (eq $found.name (index . 1)) (eq (get $annotations "managed-db.io/lease") (include "operator.lease" $root)) }}
{{- if and (eq "managed-db" (get $labels "app.kubernetes.io/part-of")) (include "operator.isInstallation" (index . 3)) (not $isOwn) }}
{{- $mine := include "operator.scope" $root | splitList "," }}
{{- $theirs := get $annotations "managed-db.io/namespaces" | default "*" | splitList "," }}
{{- $both := list }}
{{- range $mine }}
{{- if or (has . $theirs) (has "*" $theirs) }}{{ $both = append $both . }}{{ end }}
{{- end }}
{{- if has "*" $mine }}{{ $both = $theirs }}{{ end }}
{{- if $both }}
{{- fail (printf "config.namespaces: the installation %s in namespace %s looks after %s already. Two that look after the same objects would undo each other's work: give each installation namespaces of its own, by its config.namespaces; or uninstall the other one, which goes by its %s %s%s" (get $labels "app.kubernetes.io/instance") ($found.namespace | default (splitList ":" $found.name | first)) (ternary "all namespaces" (join ", " $both) (has "*" $both)) (index . 2) $found.name (ternary (printf "; if it is gone already: kubectl delete clusterrolebinding %s" $found.name) "" (eq "ClusterRoleBinding" (index . 2)))) }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* Roles are made in these namespaces: one that is not there would end the installation halfway. Its own may be made by --create-namespace. */ -}}
{{- define "operator.refuseMissingNamespaces" -}}
{{- if and .Values.config.namespaces (lookup "v1" "Namespace" "" "kube-system") }}
{{- range .Values.config.namespaces }}
{{- $found := lookup "v1" "Namespace" "" . }}
{{- if and (not $found) (ne . $.Release.Namespace) }}
{{- fail (printf "config.namespaces: there is no namespace %s: kubectl create namespace %s, or leave it out" . .) }}
{{- else if dig "metadata" "deletionTimestamp" "" $found }}
{{- fail (printf "config.namespaces: the namespace %s is being deleted, and no Role can be made in it: wait until it is gone. If objects in it wait for the operator, install it without config.namespaces meanwhile: then it has its rights from a ClusterRole" .) }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
