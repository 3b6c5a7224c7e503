{{- /*
Two installations that look after the same objects would undo each other's work: they elect by two Leases, and so two Pods act. Each says in its
ClusterRoleBinding which Lease it has, and which namespaces it looks after. The policy managed-db-installations asks the same of whatever is applied;
here it is asked before anything is made. A lookup is empty where no cluster is asked, as in helm template.
*/ -}}
{{- define "operator.refuseSecond" -}}
{{- $mine := include "operator.scope" . | splitList "," }}
{{- range (lookup "rbac.authorization.k8s.io/v1" "ClusterRoleBinding" "" "").items }}
{{- $labels := .metadata.labels | default dict }}
{{- $annotations := .metadata.annotations | default dict }}
{{- if eq "managed-db" (get $labels "app.kubernetes.io/part-of") }}
{{- if and (ne .metadata.name (include "operator.clusterName" $)) (ne (get $annotations "managed-db.io/lease") (include "operator.lease" $)) }}
{{- $both := list }}
{{- $theirs := get $annotations "managed-db.io/namespaces" | default "*" | splitList "," }}
{{- range $mine }}
{{- if or (has . $theirs) (has "*" $theirs) }}{{ $both = append $both . }}{{ end }}
{{- end }}
{{- if has "*" $mine }}{{ $both = $theirs }}{{ end }}
{{- if $both }}
{{- fail (printf "config.namespaces: the installation %s in namespace %s looks after %s already. Two that look after the same objects would undo each other's work: give each installation namespaces of its own, by its config.namespaces; or uninstall the other one, which goes by its ClusterRoleBinding %s" (get $labels "app.kubernetes.io/instance") (splitList ":" .metadata.name | first) (ternary "all namespaces" (join ", " $both) (has "*" $both)) .metadata.name) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* Roles are made in these namespaces: one that is not there would end the installation halfway. Its own may be made by --create-namespace. */ -}}
{{- define "operator.refuseMissingNamespaces" -}}
{{- if lookup "v1" "Namespace" "" "kube-system" }}
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
