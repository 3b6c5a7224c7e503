import { expect, test } from 'vitest';
import {
  annotationsOf,
  entryLabels,
  ledgerEntries,
  ledgerEntriesWithData,
  ledgerLabel,
  type EntryContent,
} from '../../../src/resources/ledger-entry.ts';
import { kinds, resourceTypes } from '../../../src/resources/managed-object.ts';

const whole: EntryContent = {
  version: 1,
  object: { kind: 'ManagedService', namespace: 'shop', name: 'orders', uid: 'uid' },
  clusterUid: 'cluster',
  projectId: 'prj-1',
  id: 'svc-1',
  outcome: 'created',
  passwordNumber: 3,
  hasPassword: true,
  passwordFrom: 'rotation r1',
  next: { from: 'rotation r2' },
  unclear: { from: 'rotation r1' },
  unansweredAt: '2026-11-21T12:00:00.000Z',
};
const labels = {
  [ledgerLabel]: 'true',
  [entryLabels.kind]: 'ManagedService',
  [entryLabels.namespace]: 'shop',
  [entryLabels.resource]: 'hash',
};
const place = { name: 'managedservice-uid', namespace: 'ledger', uid: 'e', resourceVersion: '1' };
const data = {
  password: Buffer.from('geheim-123').toString('base64'),
  nextPassword: Buffer.from('geheim-456').toString('base64'),
};
const secret = (annotations: Readonly<Record<string, string>>) => ({
  metadata: { ...place, labels, annotations },
  data,
});
const text = (content: object) => secret({ 'managed-db.io/entry': JSON.stringify(content) });

test.each<[string, EntryContent]>([
  ['all fields', whole],
  [
    'only the necessary fields',
    {
      version: 1,
      object: whole.object,
      clusterUid: 'cluster',
      passwordNumber: 0,
      hasPassword: false,
    },
  ],
  [
    'fields that this version does not know',
    { ...whole, colour: 'red', next: { from: 'rotation r2' } },
  ],
])('the content of an entry with %s is read as it was written', (_, content) => {
  expect(ledgerEntries.parse(secret(annotationsOf(content))).content).toEqual(content);
  expect(ledgerEntriesWithData.parse(secret(annotationsOf(content))).content).toEqual(content);
});

test('unknown fields of the content are kept, so that an older operator does not remove them', () => {
  expect(ledgerEntries.parse(text({ ...whole, colour: 'red' })).content).toHaveProperty(
    'colour',
    'red',
  );
});

const childKinds = kinds.filter((kind) => resourceTypes[kind].parent !== undefined);
const longest = 131_072;
const padded = (length: number) => {
  const shortest = JSON.stringify({ ...whole, pad: '' }).length;
  return text({ ...whole, pad: 'x'.repeat(length - shortest) });
};

test.each<[string, object]>([
  ['is missing', secret({})],
  ['is of a newer version', text({ ...whole, version: 2 })],
  ['has an empty id of a VPC', text({ ...whole, vpcAttachment: '' })],
  ['has an empty id of a parent', text({ ...whole, parentServiceId: '' })],
  ['has an empty id of a source', text({ ...whole, forkSourceId: '' })],
  ['has an empty id of a project', text({ ...whole, projectId: '' })],
  ['has an empty id of a peering', text({ ...whole, peerings: { '1/eu/a': { id: '' } } })],
  [
    'has a create without the id of its parent',
    text({
      ...whole,
      attempt: { id: 'a', at: '2026-11-21T12:00:00Z', request: { parentId: '' }, sameNameIds: [] },
    }),
  ],
  ...childKinds.map((kind): [string, object] => [
    `is a ${kind} without its parent`,
    text({ ...whole, object: { ...whole.object, kind } }),
  ]),
  ['is no JSON', secret({ 'managed-db.io/entry': '{' })],
  ['is no object', text([])],
  ['has an empty id', text({ ...whole, id: '' })],
  ['has no object', text({ ...whole, object: undefined })],
  ['has a negative number', text({ ...whole, passwordNumber: -1 })],
  ['has an unknown outcome', text({ ...whole, outcome: 'found' })],
  ['has a time that is none', text({ ...whole, unansweredAt: 'yesterday' })],
  ['is too long', padded(longest + 1)],
])('the content of an entry is undefined if it %s', (_, given) => {
  expect(ledgerEntries.parse(given)).toMatchObject({ metadata: place, content: undefined });
  expect(ledgerEntriesWithData.parse(given).content).toBeUndefined();
});

test('the content of an entry is read up to the longest length', () => {
  expect(ledgerEntries.parse(padded(longest)).content?.id).toBe('svc-1');
});

test('the cached form of an entry has no password, no foreign label and no text of the annotations', () => {
  const foreign = {
    metadata: {
      ...place,
      labels: { ...labels, team: 'shop' },
      annotations: { ...annotationsOf(whole), note: 'x' },
    },
    data,
  };
  const cached = ledgerEntries.parse(foreign);
  expect(cached).toEqual({
    metadata: { ...place, labels, deletionTimestamp: undefined },
    content: whole,
  });
  expect(ledgerEntries.metadataOnly).toBe(true);
});

test('an entry that is read with its passwords has them in plain text', () => {
  expect(ledgerEntriesWithData.parse(text(whole)).data).toEqual({
    password: 'geheim-123',
    nextPassword: 'geheim-456',
  });
});
