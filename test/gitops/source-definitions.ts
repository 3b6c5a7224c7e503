/**
 * Definitions of the kinds of source-controller, which these tests replace. kustomize-controller starts only where the
 * API server serves each of them.
 */
export const sourceDefinitions = [
  ['GitRepository', 'gitrepositories'],
  ['OCIRepository', 'ocirepositories'],
  ['Bucket', 'buckets'],
  ['ExternalArtifact', 'externalartifacts'],
].map(([kind = '', plural = '']) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.source.toolkit.fluxcd.io` },
  spec: {
    group: 'source.toolkit.fluxcd.io',
    scope: 'Namespaced',
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
}));
