{{- /* Generated from src/resources by npm run generate. Do not edit. */ -}}
{{- define "operator.plurals" -}}managedvpcs, managedservices, readreplicasets{{- end -}}
{{- define "operator.kinds" -}}{managedvpcs: ManagedVpc, managedservices: ManagedService, readreplicasets: ReplicaSet}{{- end -}}
