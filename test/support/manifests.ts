const apiVersion = 'managed-db.io/v1alpha1';

/** Manifests with good defaults: a test's page has only the fields that matter to its sentence. */

export function vpc(name: string, spec: object = {}, annotations: Record<string, string> = {}) {
  return {
    apiVersion,
    kind: 'ManagedVpc',
    metadata: { name, annotations },
    spec: { cidr: '10.0.0.0/16', regionCode: 'eu-central-1', ...spec },
  };
}

export function service(name: string, spec: object = {}, annotations: Record<string, string> = {}) {
  return {
    apiVersion,
    kind: 'ManagedService',
    metadata: { name, annotations },
    spec: { cpuMillis: 1000, memoryGbs: 4, ...spec },
  };
}

export function fork(name: string, of: string, spec: object = {}) {
  return {
    apiVersion,
    kind: 'ManagedService',
    metadata: { name },
    spec: { fork: { serviceRef: { name: of }, strategy: 'NOW' }, ...spec },
  };
}

export function replicaSet(
  name: string,
  of: string,
  spec: object = {},
  annotations: Record<string, string> = {},
) {
  const size = { nodes: 2, cpuMillis: 1000, memoryGbs: 4 };
  return {
    apiVersion,
    kind: 'ReplicaSet',
    metadata: { name, annotations },
    spec: { serviceRef: { name: of }, ...size, ...spec },
  };
}

export function secret(name: string, stringData: Readonly<Record<string, string>>) {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData };
}

export const peering = {
  peerAccountId: '444455556666',
  peerRegionCode: 'eu-central-1',
  peerVpcId: 'vpc-0a1b2c3d',
};
