import { createServer } from 'node:http';

/** An API server with many ManagedServices. It serves pages. Every twentieth object is Rejected. */
export async function crowdedApiServer(
  objects: number,
): Promise<{ readonly url: string; readonly largestPage: () => number } & AsyncDisposable> {
  let largest = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const isServices = url.pathname.endsWith('/managedservices');
    const limit = Number(url.searchParams.get('limit') ?? objects);
    const from = Number(url.searchParams.get('continue') ?? 0);
    const end = isServices ? Math.min(from + limit, objects) : from;
    largest = Math.max(largest, end - from);
    const items = Array.from({ length: end - from }, (_, place) => managedService(from + place));
    const left = isServices ? objects - end : 0;
    const page = left > 0 ? { continue: String(end), remainingItemCount: left } : {};
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ kind: 'List', metadata: { resourceVersion: '9000', ...page }, items }),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    largestPage: () => largest,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function managedService(place: number): object {
  const name = `orders-${String(place).padStart(5, '0')}`;
  const isWrong = place % 20 === 0;
  const spec = {
    cpuMillis: 1000,
    memoryGbs: 4,
    regionCode: 'eu-central-1',
    environment: 'DEV',
    credentialsRef: { name: 'cloud' },
  };
  const at = '2026-11-28T10:00:00Z';
  const [reason, message] = isWrong
    ? ['Rejected', `the cloud refused to create the service: "quota ${place}"; change the spec`]
    : ['Available', `the service is available at id-${place}.db.example:5432`];
  const conditions = [
    ...['Ready', 'Synced'].map((type) => ({ type, status: isWrong ? 'False' : 'True' })),
    { type: 'Stalled', status: isWrong ? 'True' : 'False' },
  ].map((each) => ({
    ...each,
    reason,
    message,
    observedGeneration: 1,
    lastTransitionTime: at,
  }));
  const fields: readonly (readonly [string, object])[] = Array.from({ length: 20 }, (_, part) => [
    `f:part${part}`,
    { '.': {}, 'f:value': {}, 'k:{"x":"y"}': {} },
  ]);
  return {
    apiVersion: 'managed-db.io/v1alpha1',
    kind: 'ManagedService',
    metadata: {
      name,
      namespace: 'shop',
      uid: `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`,
      resourceVersion: String(place + 1),
      generation: 1,
      creationTimestamp: at,
      finalizers: ['managed-db.io/cloud-resource'],
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({
          apiVersion: 'managed-db.io/v1alpha1',
          kind: 'ManagedService',
          metadata: { name, namespace: 'shop', annotations: { note: 'n'.repeat(300) } },
          spec,
        }),
      },
      managedFields: ['kubectl-client-side-apply', 'managed-db-operator'].map((manager) => ({
        manager,
        operation: 'Update',
        apiVersion: 'managed-db.io/v1alpha1',
        time: at,
        fieldsType: 'FieldsV1',
        fieldsV1: Object.fromEntries(fields),
      })),
    },
    spec,
    status: { ...(isWrong ? {} : { id: `id-${place}` }), observedGeneration: 1, conditions },
  };
}
