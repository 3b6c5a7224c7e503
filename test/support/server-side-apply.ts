import { request } from 'undici';
import * as z from 'zod';
import { secretsWithData } from '../../src/resources/connection-secret.ts';
import { resourceTypes } from '../../src/resources/managed-object.ts';
import type { Connection } from '../../src/runtime/index.ts';

const types = [...Object.values(resourceTypes), secretsWithData];
const manifestShape = z.object({
  kind: z.enum(types.map(({ kind }) => kind)),
  metadata: z.object({ name: z.string() }),
});

/**
 * Has the effect of `kubectl apply --server-side --force-conflicts`, without a process. @throws {Error} with the
 * message of the API server
 */
export async function serverSideApply(
  link: Connection,
  namespace: string,
  manifest: object,
): Promise<void> {
  const { kind, metadata } = manifestShape.parse(manifest);
  const [type = secretsWithData] = types.filter((each) => each.kind === kind);
  const { dispatcher, headers } = await link.calls();
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const reply = await request(
    new URL(`${root}/namespaces/${namespace}/${type.plural}/${metadata.name}`, link.server),
    {
      dispatcher,
      method: 'PATCH',
      query: { fieldManager: 'person', force: true },
      headers: { ...headers, 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify(manifest),
    },
  );
  const body = await reply.body.text();
  if (reply.statusCode >= 300) throw new Error(`${kind} ${metadata.name} was not applied: ${body}`);
}
