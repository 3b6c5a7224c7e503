import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { connectionAnnotations } from '../../../src/resources/connection-secret.ts';
import {
  annotations,
  approvalPrefix,
  cloudResourceFinalizer,
  connectionLabel,
  credentialsFinalizer,
  credentialsLabel,
  namespaceAnnotations,
} from '../../../src/resources/annotations.ts';
import {
  annotationsOf,
  entryLabels,
  ledgerFinalizer,
  ledgerLabel,
} from '../../../src/resources/ledger-entry.ts';
import { processAnnotation } from '../../../src/resources/shard-labels.ts';

const text = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
/** The names of ours in a text, each once. An approval has the name of an operation. */
const namesIn = (page: string) =>
  new Set(page.match(/(?<!approval\.)\b(?:reconcile\.)?managed-db\.io\/[a-z][\w-]*/gu));

test('every annotation, label and finalizer is explained on its page, and no other', async () => {
  const known = new Set([
    ...Object.values(annotations),
    ...Object.values(namespaceAnnotations),
    ...Object.values(connectionAnnotations),
    cloudResourceFinalizer,
    connectionLabel,
    credentialsFinalizer,
    credentialsLabel,
    processAnnotation,
    ledgerFinalizer,
    ledgerLabel,
    ...Object.values(entryLabels),
    ...Object.keys(
      annotationsOf({
        version: 1,
        object: { kind: '', namespace: '', name: '', uid: '' },
        clusterUid: '',
        passwordNumber: 0,
        hasPassword: false,
      }),
    ),
    ...namesIn(await text('deploy/helm/managed-db-operator/templates/ledger-namespace.yaml')),
    ...[...namesIn(await text('deploy/helm/managed-db-operator/templates/policies.yaml'))].filter(
      (name) => !name.endsWith('/v1alpha1'),
    ),
  ]);
  const page = await text('docs/reference/annotations.md');
  expect(namesIn(page)).toEqual(known);
  expect(page).toContain(`\`${approvalPrefix}<operation>\``);
});
