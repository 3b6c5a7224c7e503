import { describe, expect, test } from 'vitest';
import type { Step } from '../../../../src/reconcile/step/step.ts';
import { decided } from '../../../support/decided.ts';
import {
  chosenAttempt,
  deleting,
  judged,
  noon,
  notCreated,
  opened,
  ownAttempt,
  type GivenService,
} from '../../../support/situation.ts';
import { usableKey } from '../../../support/usable-account.ts';
import { always, before, ways } from './ways-to-delete.ts';

/** The advice in a message works: the situation after the user has followed it leads to another step. */

const retain = { deletionPolicy: 'Retain' } as const;
const advisesRetain = /spec\.deletionPolicy to Retain/u;

describe.each(ways)('%s', (_, { decide }) => {
  const held = [...always, ...before].map(
    ([why, given]) => [why, given, messageOf(decide(given))] as const,
  );
  test('has no message that advises Retain without an effect', () => {
    const inVain = held
      .filter(([, , message]) => advisesRetain.test(message))
      .filter(
        ([, given]) =>
          decide({ ...given, spec: { ...given.spec, ...retain, suspend: false } }).type !==
          'release',
      );
    expect(inVain.map(([why, , message]) => `${why}: ${message}`)).toEqual([]);
  });
});

const foreign = { account: usableKey({ project: 'prj-2' }), pinnedProject: 'prj-1' } as const;
const rightKey = { account: usableKey({ project: 'prj-1' }) };
const open = opened({ state: 'looking', attempt: ownAttempt, again: noon });
const withOpen = (more: GivenService = {}) => ({ ...open, ...more });
const begun = deleting({ started: true });
const ambiguous = (ids: readonly string[]) =>
  opened(judged({ kind: 'ambiguous', ids }, chosenAttempt));

type Row = readonly [sentence: string, given: GivenService, advice: string, followed: GivenService];
const followed: readonly Row[] = [
  ['a key of another project', foreign, 'use a key of prj-1', rightKey],
  [
    'a key of another project, and a deletion',
    { ...foreign, deletion: deleting() },
    'use a key of prj-1',
    rightKey,
  ],
  [
    'a key of another project, and a deletion',
    { ...foreign, deletion: deleting() },
    'to Retain',
    { spec: retain },
  ],
  [
    'a key of another project, and a deletion that had begun',
    { ...foreign, deletion: begun },
    'use a key of prj-1',
    rightKey,
  ],
  [
    'a key of another project, and an open create',
    withOpen(foreign),
    'use a key of prj-1',
    rightKey,
  ],
  [
    'a key of another project, an open create, and a deletion',
    withOpen({ ...foreign, deletion: deleting() }),
    'use a key of prj-1',
    rightKey,
  ],
  [
    'a protected service',
    { spec: { deletionProtection: true }, deletion: deleting() },
    'set spec.deletionProtection to false',
    { spec: { deletionProtection: false } },
  ],
  [
    'a suspended object that is deleted',
    { spec: { suspend: true }, deletion: deleting() },
    'set spec.suspend to false',
    { spec: { suspend: false } },
  ],
  [
    'a suspended object',
    { spec: { suspend: true } },
    'set it to false',
    { spec: { suspend: false } },
  ],
];

test.each(followed)('following the advice of the message helps: %s', (_, given, advice, remedy) => {
  const step = decided(given);
  expect(messageOf(step)).toContain(advice);
  expect(whatIsTold(decided({ ...given, ...remedy }))).not.toEqual(whatIsTold(step));
});

test.each<readonly [string, GivenService, string]>([
  [
    'a deletion that had begun',
    { ...foreign, deletion: begun },
    'spec.deletionPolicy no longer keeps the service, whose deletion has begun',
  ],
  [
    'an open create',
    withOpen({ ...foreign, deletion: deleting() }),
    'spec.deletionPolicy has no effect before the answer to the create is known',
  ],
])(
  'the message for a key of a second project does not advise Retain, and gives the reason: %s',
  (_, given, why) => {
    const step = decided(given);
    expect(messageOf(step)).toContain(why);
    expect(messageOf(step)).not.toMatch(advisesRetain);
    expect(whatIsTold(decided({ ...given, spec: retain }))).toEqual(whatIsTold(step));
  },
);

/** The change that each annotation makes to the observation. */
const alsoObserved: Readonly<Record<string, (value: string) => GivenService>> = {
  'managed-db.io/external-id': (id) => ({ adoption: { state: 'found', id, projectId: 'prj-1' } }),
};
const sameName = {
  spec: { name: 'orders' },
  sameNames: { state: 'read', ids: ['a'], unclaimed: ['a'] },
} as const;

test.each<readonly [sentence: string, given: GivenService, commands: number]>([
  ['a lost service', { cloud: { state: 'absent' } }, 1],
  ['a candidate of an open create', ambiguous(['a']), 2],
  [
    'a candidate of an open create, and a deletion',
    { ...ambiguous(['a']), deletion: deleting() },
    2,
  ],
  ['several candidates of an open create', ambiguous(['a', 'b']), 2],
  ['a name that is taken', { ...notCreated, ...sameName }, 2],
  ['a service of an earlier object', { ...notCreated, leftovers: [{ id: 'a' }] }, 2],
  [
    'a service of an earlier object, and an object that is only observed and so creates nothing',
    { ...notCreated, leftovers: [{ id: 'a' }], spec: { managementPolicy: 'Observe' } },
    1,
  ],
])('each command of the message helps as printed: %s', (_, given, count) => {
  const step = decided(given);
  const commands = annotated(messageOf(step), 'a');
  expect(commands).toHaveLength(count);
  const results = commands.map(([key, value]) =>
    decided({ ...given, ...alsoObserved[key]?.(value), annotations: { [key]: value } }),
  );
  for (const result of results) expect(whatIsTold(result)).not.toEqual(whatIsTold(step));
});

/** The annotations of all commands of a message. @param chosen stands for `<id>` */
function annotated(message: string, chosen: string): readonly (readonly [string, string])[] {
  const commands = message.matchAll(/(?<key>managed-db[.]io\/[a-z-]+)=(?<value>\S+)/gu);
  return [...commands].map(({ groups }) => [
    groups?.['key'] ?? '',
    (groups?.['value'] ?? '').replace('<id>', chosen),
  ]);
}

function messageOf(step: Step): string {
  return step.type === 'keep' ? step.delayedReport.message : step.message;
}

function whatIsTold(step: Step): readonly unknown[] {
  return [step.type, 'reason' in step ? step.reason : undefined, messageOf(step)];
}
