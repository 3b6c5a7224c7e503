import { randomBytes } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import { apiServer } from '../crds/api-server.ts';
import { changed, good, takenOut, wrong } from './refused-fields.ts';
import { kinds, resourceTypes, type Kind } from '../../../src/resources/managed-object.ts';

/**
 * The refusals of the API server, field by field: a wrong value, a changed fixed field, a missing required
 * field. No operator runs.
 */

const server = apiServer(inject('controlPlane'));
const namespace = `t-${randomBytes(4).toString('hex')}`;
const address = (kind: Kind) =>
  `/apis/managed-db.io/v1alpha1/namespaces/${namespace}/${resourceTypes[kind].plural}`;
const only = '?dryRun=All&fieldValidation=Strict';
const manifest = (kind: Kind, name: string, spec: object) => ({
  apiVersion: 'managed-db.io/v1alpha1',
  kind,
  metadata: { name },
  spec,
});

const rows = <Row>(table: (kind: Kind) => readonly Row[]) =>
  kinds.flatMap((kind) => table(kind).map((row, index) => ({ kind, row, index })));

beforeAll(async () => {
  await server.send('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
});

/** The message of the API server when an object gets another spec. */
async function update(kind: Kind, name: string, before: object, after: object): Promise<string> {
  const made = await server.send('POST', address(kind), {
    body: manifest(kind, name, { ...good[kind], ...before }),
  });
  expect(made.message).toBe('');
  const next = {
    ...manifest(kind, name, { ...good[kind], ...after }),
    metadata: made.body.metadata,
  };
  return (await server.send('PUT', `${address(kind)}/${name}${only}`, { body: next })).message;
}

test.each(
  rows((kind) => wrong[kind]).map(({ kind, row: [field, spec, words = ''] }) => ({
    kind,
    field,
    spec,
    words,
  })),
)('$kind: a wrong $field is refused by the API server', async ({ kind, field, spec, words }) => {
  const { message } = await server.send('POST', address(kind) + only, {
    body: manifest(kind, 'x', { ...good[kind], ...spec }),
  });
  expect(message).toContain(`spec.${field.replace('[]', '[0]')}`);
  expect(message).toContain(words);
});

test.each(
  rows((kind) => changed[kind]).map(({ kind, index, row: [field, ...row] }) => ({
    kind,
    index,
    field,
    row,
  })),
)(
  '$kind: another $field is refused by the API server',
  async ({ kind, index, row: [before, after, words] }) => {
    expect(await update(kind, `changed-${index}`, before, after)).toContain(words);
  },
);

test.each(
  rows((kind) => takenOut[kind]).map(({ kind, index, row: [field, ...row] }) => ({
    kind,
    index,
    field,
    row,
  })),
)('$kind: $field cannot be removed', async ({ kind, index, row: [before, after, words] }) => {
  expect(await update(kind, `taken-out-${index}`, before, after)).toContain(words);
});
