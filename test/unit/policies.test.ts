import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';

const kinded = z.looseObject({ kind: z.string() });
const policy = z.object({
  spec: z.object({
    failurePolicy: z.string(),
    matchConstraints: z.object({
      matchPolicy: z.string(),
      namespaceSelector: z.looseObject({}),
      objectSelector: z.looseObject({}),
      resourceRules: z.array(z.object({ scope: z.string() })),
    }),
  }),
});

// The API server treats these fields as atomic: a default that it fills in would cause a conflict.
test('a policy has all defaults written out, so that kubectl apply can go over to --server-side', async () => {
  const text = await readFile(new URL('../../deploy/install.yaml', import.meta.url), 'utf8');
  const documents = parseAllDocuments(text).map((document) => kinded.parse(document.toJS()));
  const policies = documents.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
  expect(policies.length).toBeGreaterThan(5);
  for (const each of policies) policy.parse(each);
});
