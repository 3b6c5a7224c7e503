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
{{- range (lookup "apps/v1" "Deployment" .Release.Namespace "").items }}
{{- include "operator.refuseSameLease" (list $ .) }}
{{- include "operator.refuseOtherSelector" (list $ .) }}
{{- include "operator.refuseFewerNamespaces" (list $ .) }}
{{- end }}
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
{{- $isOfRelease := eq $root.Release.Name (get $labels "app.kubernetes.io/instance" | default $root.Release.Name) }}
{{- $isOwn := and $isOfRelease (or (eq $found.name (index . 1)) (eq (get $annotations "managed-db.io/lease") (include "operator.lease" $root))) }}
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

{{- /* The root, and a Deployment of its namespace. The names of two releases can make one Lease: only one of them would act, and each looks after other objects. */ -}}
{{- define "operator.refuseSameLease" -}}
{{- $release := (index . 0).Release.Name }}
{{- $found := dig "metadata" "labels" "app.kubernetes.io/instance" $release (index . 1) }}
{{- if and (ne $found $release) (eq (include "operator.lease" (index . 0)) (dig "metadata" "annotations" "managed-db.io/lease" "" (index . 1))) }}
{{- fail (printf "the releases %s and %s would share the Lease %s, and only one of them would act: install this one under another name" $found $release (include "operator.leaseName" (index . 0))) }}
{{- end }}
{{- end -}}

{{- /* Kubernetes would refuse it, but only after the Role has another Lease: the Pods that run would lose theirs. */ -}}
{{- define "operator.refuseOtherSelector" -}}
{{- $root := index . 0 }}
{{- $found := index . 1 }}
{{- $labels := dig "spec" "selector" "matchLabels" dict $found }}
{{- if and (eq $found.metadata.name (include "operator.fullname" $root)) (ne (toJson $labels) (include "operator.selectorLabels" $root | fromYaml | toJson)) }}
{{- $selector := list }}
{{- range $name, $value := $labels }}{{ $selector = append $selector (printf "%s=%s" $name $value) }}{{ end }}
{{- fail (printf "the Deployment %s in namespace %s is there already, with other labels (%s), which cannot be changed: upgrade its release as it was called (release, nameOverride, fullnameOverride), or install under another name; or, to replace it, first kubectl delete deployment -n %s %s, and kubectl wait --for=delete pod -n %s -l %s --timeout=60s" $found.metadata.name $root.Release.Namespace (join ", " $selector) $root.Release.Namespace $found.metadata.name $root.Release.Namespace (join "," $selector)) }}
{{- end }}
{{- end -}}

{{- /* With a namespace go the rights in it, and the guard that keeps it while its objects need the operator. */ -}}
{{- define "operator.refuseFewerNamespaces" -}}
{{- $root := index . 0 }}
{{- $annotations := (index . 1).metadata.annotations | default dict }}
{{- $before := get $annotations "managed-db.io/namespaces" | splitList "," | compact }}
{{- $isOwn := and (eq (get $annotations "managed-db.io/lease") (include "operator.lease" $root)) $before }}
{{- if and $isOwn $root.Values.config.namespaces ($root.Capabilities.APIVersions.Has "managed-db.io/v1alpha1") }}
{{- range $namespace := ternary (list "") $before (has "*" $before) }}
{{- if not (has $namespace $root.Values.config.namespaces) }}
{{- $needed := list }}
{{- $where := list }}
{{- range $kind := include "operator.kinds" $root | fromYaml }}
{{- range (lookup "managed-db.io/v1alpha1" $kind $namespace "").items }}
{{- if and (has "managed-db.io/cloud-resource" (.metadata.finalizers | default list)) (not (has .metadata.namespace $root.Values.config.namespaces)) }}
{{- $needed = append $needed (printf "%s %s/%s" $kind .metadata.namespace .metadata.name) }}
{{- $where = append $where .metadata.namespace }}
{{- end }}
{{- end }}
{{- end }}
{{- with $where }}
{{- fail (printf "config.namespaces: without the namespace %s the operator could not go on with %s%s, nor finish a deletion. Keep the namespace in the list; or first delete what is in it, while the operator runs: kubectl delete %s --all -n %s (with spec.deletionPolicy: Retain where the database shall stay)" (uniq . | join ", ") (slice $needed 0 (min 3 (len $needed)) | join ", ") (ternary (printf " and %d more" (sub (len $needed) 3)) "" (gt (len $needed) 3)) (include "operator.plurals" $root | nospace) (first .)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* Roles are made in these namespaces: a missing namespace would end the installation halfway. --create-namespace may make the release's own. */ -}}
{{- define "operator.refuseMissingNamespaces" -}}
{{- $ledger := .Values.config.ledgerNamespace }}
{{- if and (or .Values.config.namespaces (not .Values.ledger.createNamespace)) (lookup "v1" "Namespace" "" "kube-system") }}
{{- if and (not .Values.ledger.createNamespace) (not (lookup "v1" "Namespace" "" $ledger)) }}
{{- fail (printf "config.ledgerNamespace: there is no namespace %s: set ledger.createNamespace=true, or kubectl apply -f ledger-namespace.yaml" $ledger) }}
{{- end }}
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
