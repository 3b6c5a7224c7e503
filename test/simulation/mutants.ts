import type { Replacement } from './bundle.ts';

/** A fault that is put into the operator on purpose, and the lives that must find it. */
export interface Mutant extends Replacement {
  readonly id: string;
  /** The guard that the mutant takes away, as a fact. */
  readonly guard: string;
  /** The arguments of run.ts. The first life with a problem finds the mutant. */
  readonly lives: string;
  /** Why no life finds it: another guard holds. Undefined: a life must find it. */
  readonly survives?: string;
}

const create = 'src/reconcile/act/create.ts';
const setPassword = 'src/reconcile/act/set-password.ts';
const policy = 'src/reconcile/decide/policy.ts';
const writeEntry = 'src/reconcile/ledger/write-entry.ts';
const deleting = 'src/reconcile/decide/rules/deleting.ts';
const patchObject = 'src/reconcile/act/patch-object.ts';
const release = 'src/reconcile/act/release.ts';
const absences = 'src/cloud/absences.ts';

/** The guards of docs/safety.md, and faults that users found, put back. */
export const mutants: readonly Mutant[] = [
  {
    id: 'attempt-not-recorded',
    guard: 'the attempt is in the entry before the POST',
    file: create,
    from: 'const entry = await storeRecord(finalized, begun, context);',
    to: 'const entry = await storeRecord(finalized, withoutAttempt(begun), context);',
    lives: '--story create',
  },
  {
    id: 'retained-ignored',
    guard: 'deletionPolicy: Retain keeps the resource',
    file: 'src/reconcile/situation/options.ts',
    from: "deletionPolicyOf(object, options) === 'Retain' ||",
    to: '',
    lives: '--story retain',
  },
  {
    id: 'release-retained-removed',
    guard: 'a retained object is released without a DELETE',
    file: policy,
    from: '  releaseRetained, // ',
    to: '  // ',
    lives: '--story retain',
  },
  {
    id: 'fence-open',
    guard: 'no request leaves after ten seconds, or without the Lease',
    file: 'src/reconcile/act/fence.ts',
    from: `    leadership.held &&
    performance.now() - steady < withinMs &&
    Math.abs(Date.now() - wall) < withinMs;`,
    to: '    leadership.held || steady + wall > withinMs;',
    lives: '--story create --harm freezeLong --calls createService|createVpc|POST',
  },
  {
    id: 'released-before-proof',
    guard: 'the finalizer goes only after the proof of the absence',
    file: deleting,
    from: "  if (cloud.state !== 'missing') return undefined;\n  return wait(",
    to: "  if (cloud.state !== 'missing') return undefined;\n  if (now > 0) return releaseObject(situation, 'it seems to be gone', isKept);\n  return wait(",
    lives: '--story denied',
  },
  {
    id: 'next-password-dropped',
    guard: 'after an unclear answer, the ledger keeps the next password',
    file: setPassword,
    from: 'if (!error.changedNothing) return',
    to: 'if (!error.changedNothing) await store(noted, withoutNext(noted), context);\n  if (!error.changedNothing) return',
    lives: '--story rotate --harm answerLost --calls updatePassword',
  },
  {
    id: 'first-password-as-next',
    guard: 'the first password is the present password',
    file: create,
    from: '[passwordKeys.present]: password',
    to: '[passwordKeys.next]: password',
    lives: '--story create',
  },
  {
    id: 'first-password-lost',
    guard: 'id and first password are in the same write',
    file: create,
    from: 'passwords: { ...noPasswords, [passwordKeys.present]: password },',
    to: 'passwords: noPasswords,',
    lives: '--story create',
  },
  {
    id: 'attempt-concluded-early',
    guard: 'an attempt is open for two minutes',
    file: 'src/reconcile/observe/observe-creation.ts',
    from: 'if (first.begunAt < closesAt) return looking;',
    to: 'if (first.begunAt < closesAt - 115_000) return looking;',
    lives: '--story create --lag 40000 --harm answerLost --calls services',
  },
  {
    id: 'attempt-closed-when-unclear',
    guard: 'only a clear refusal closes an attempt',
    file: create,
    from: 'if (error.changedNothing) {',
    to: 'if (error) {',
    lives: '--story create --lag 4000 --harm answerLost --harm errorAfter --calls services|vpcs',
  },
  {
    id: 'gateway-closes-attempt',
    guard: 'a refusal without the error body of the API closes no attempt',
    file: 'src/cloud/cloud-error.ts',
    from: 'return this.fromApi && this.status !== undefined',
    to: 'return this.status !== undefined',
    lives: '--story create --harm gatewayPage --calls services|vpcs',
    survives:
      'no harm of weather.ts carries a POST out and answers it with the page of a gateway; test/unit/cloud holds the guard',
  },
  {
    id: 'lease-not-proven',
    guard: 'the process writes only while it provably holds the Lease',
    file: 'src/runtime/lease.ts',
    from: 'return now.steady - asked.steady < withinMs && Math.abs(now.wall - asked.wall) < withinMs;',
    to: 'return now.steady + asked.steady + now.wall + asked.wall > withinMs;',
    lives: '--story create --harm freezeLong --calls POST|secrets',
    survives:
      'the fence of each request measures its ten seconds by both clocks, and a write is locked to its version; test/unit/runtime/lease.test.ts fails',
  },
  {
    id: 'gone-after-one-list',
    guard: 'an absence needs more than a list',
    file: absences,
    from: '  const long = missing && missing.since + apartMs;\n',
    to: '  const long = missing && missing.since;\n  if (missing) return missing.since;\n',
    lives: '--story denied',
  },
  {
    id: 'gone-after-gateway-page',
    guard: 'a 404 without the error body of the API proves nothing (F12)',
    file: 'src/cloud/read-reply.ts',
    from: 'const fromGateway = said === undefined && needsApiBody.has(errorKindOf(status));',
    to: 'const fromGateway = said === undefined && needsApiBody.has(errorKindOf(status)) && status !== 404;',
    lives: '--story gateway --lives 10',
  },
  {
    id: 'list-absence-at-once',
    guard: 'two lists that lack a resource are ten seconds apart',
    file: absences,
    from: 'export const apartMs = 10_000;',
    to: 'export const apartMs = 0;',
    lives: '--story denied',
  },
  {
    id: 'expired-watch-continues',
    guard: 'a watch that expired begins with a list',
    file: 'src/runtime/reflector.ts',
    from: 'state.resourceVersion = undefined;\n        state.expiredAt = performance.now();',
    to: 'state.resourceVersion = String(state.seen);\n        state.expiredAt = -Infinity;',
    lives: '--story expired',
    survives:
      'after an expiry, the process reads its newest object, and lists anew if that object changed. With a second object the mutant never ends; test/integration/runtime/reflector.test.ts fails',
  },
  {
    id: 'status-without-lock',
    guard: 'a status is written to the same object, in a known version',
    file: 'src/runtime/status-writer.ts',
    from: 'const metadata = { uid: object.metadata.uid, resourceVersion };',
    to: 'const metadata = {};',
    lives: '--story replace --harm freezeLong --calls status',
    survives:
      'a frozen process has lost the Lease when it thaws, so no outdated status leaves it; test/unit/runtime/status-writer.test.ts fails',
  },
  {
    id: 'conflict-is-success',
    guard: 'a conflict of an entry is no success',
    file: writeEntry,
    from: '    metadata,\n    data: encoded(passwords),\n  });',
    to: `    metadata,
    data: encoded(passwords),
  }).catch((error: unknown) => {
    if (!(error instanceof KubernetesError && error.kind === 'conflict')) throw error;
    return { ...entry, content, data: withoutNulls({ ...passwords }) };
  });`,
    lives: '--story rotate --harm freezeLong --calls secrets|updatePassword',
    survives:
      'the entry is read again before the password is sent; test/unit/reconcile/act/record-answer.test.ts fails',
  },
  {
    id: 'entry-not-locked',
    guard: 'each write of an entry is locked to its version',
    file: writeEntry,
    from: '    uid,\n    resourceVersion,\n    labels: labelsOf(content),',
    to: '    uid,\n    ...(resourceVersion === undefined ? {} : {}),\n    labels: labelsOf(content),',
    lives: '--story rotate --harm freezeLong --calls secrets|updatePassword',
    survives:
      'only the holder of the Lease writes, after a look at the version; test/unit/reconcile/act/create.test.ts fails',
  },
  {
    id: 'retained-entry-deleted',
    guard: 'the entry of a retained resource stays',
    file: release,
    from: '    ends = false;\n',
    to: '',
    lives: '--story retain',
  },
  {
    id: 'pointer-not-locked',
    guard: 'the patch of the pointer fails if the object has changed',
    file: patchObject,
    from: 'const body = { metadata: { uid, resourceVersion, ...metadata } };',
    to: 'const body = { metadata: { ...(uid && resourceVersion ? {} : {}), ...metadata } };',
    lives: '--story hasty --lives 20 --weather rough',
    survives:
      'the entry with the attempt exists before the pointer, and each visit finds it by the uid; test/unit/reconcile/act/patch-object.test.ts fails',
  },
  {
    id: 'no-finalizer',
    guard: 'the object gets its finalizer before the POST',
    file: patchObject,
    from: '  hasFinalizer,\n  keyOf,',
    // A key is always true.
    to: '  keyOf as hasFinalizer,\n  keyOf,',
    lives: '--story hasty --harm dieAnswered --calls POST|secrets',
  },
  {
    id: 'look-again-removed',
    guard: 'right before a change, the operator reads the resource',
    file: 'src/reconcile/act/look-again.ts',
    from: "if (!(isChange || isDeletion) || account.state !== 'usable') return undefined;",
    to: "if (!(isChange || isDeletion) || account.state !== 'usable' || noun !== '') return undefined;",
    lives: '--story allAtOnce --lag 40000',
    survives:
      'the cloud accepts a repeated change without harm; test/unit/reconcile/act/read-before-a-change.test.ts fails',
  },
  {
    id: 'delete-without-decision',
    guard: 'the decision to delete is in the entry before the DELETE',
    file: 'src/reconcile/act/delete.ts',
    from: 'if (record) await storeRecord(object, record, context);',
    to: 'void record;',
    lives: '--story create',
  },
  {
    id: 'no-look-before-delete',
    guard: 'the operator reads the object live before each DELETE',
    file: 'src/reconcile/act/delete.ts',
    from: 'const fence = await fenceAfterLook(object, context, true);',
    to: 'const fence = await fenceAfterLook(object, context);',
    lives: '--story silentRetain',
  },
  {
    id: 'dependents-ignored',
    guard: 'a resource with dependents is not deleted',
    file: policy,
    from: '    awaitDependents, // ',
    to: '    // ',
    lives: '--story upsideDown --lag 4000',
    survives:
      'the DELETE looks for objects that need the resource, and the simulator refuses the DELETE with 409; test/unit/reconcile/decide/dependents.test.ts fails',
  },
  {
    id: 'protection-ignored',
    guard: 'a protected database is not deleted',
    file: policy,
    from: '    holdDeletion, // ',
    to: '    // ',
    lives: '--story protectedService',
  },
  {
    id: 'known-id-accepted',
    guard: 'a create must return a new id',
    file: 'src/reconcile/act/record-answer.ts',
    from: 'if (answer instanceof CloudError || !wasKnown(answer.id)) return answer;',
    to: 'if (answer instanceof CloudError || wasKnown !== undefined) return answer;',
    lives: '--story create',
    survives: 'the simulator never answers a create with a known id; test/unit/reconcile holds it',
  },
  {
    id: 'answer-not-recorded-late',
    guard: 'a process that lost the Lease still records the answer to its create',
    file: create,
    from: 'const late = { ...context, kubernetes: context.recording };',
    to: 'const late = context;',
    lives: '--story create --harm freezeAnswered --calls services|vpcs|replicaSets',
    survives:
      'the next leader finds the resource of the open attempt in the lists, and sets a new password; test/unit/reconcile/act/create.test.ts fails',
  },
  {
    id: 'lost-id-not-remembered',
    guard: 'status gets the id that the ledger does not take',
    file: create,
    from: 'context.evidence.noteLost(object, created);',
    to: '',
    lives: '--story entryLost --harm freezeAnswered --calls POST',
    survives:
      'no story removes an entry while its create is in flight; test/unit/reconcile/act/create.test.ts fails',
  },
  {
    id: 'abandoned-not-reported',
    guard: 'an object that ends without the operator is reported',
    file: 'src/reconcile/report/report-abandoned.ts',
    from: "    events.record(object, { type: 'Warning', reason: 'Abandoned', message });",
    to: '',
    lives: '--story abandoned',
  },
  {
    id: 'foreign-secret-overwritten',
    guard: 'the operator writes no Secret of another object',
    file: 'src/reconcile/connection/hand-over.ts',
    from: 'if (!owner) return isProjectionOf(secret, object, write.resource);',
    to: 'if (owner || !owner) return true;',
    lives: '--story takenSecret',
  },
  {
    id: 'different-password-at-once',
    guard: 'a different password waits 160 seconds after a call without an answer',
    file: 'src/reconcile/step/connection.ts',
    from: 'export const unansweredMs = 160_000;',
    to: 'export const unansweredMs = 0;',
    lives: '--story lateCall',
  },
  {
    id: 'password-not-noted',
    guard: 'a new password is in the entry before the call',
    file: setPassword,
    from: 'const written = await store(entry, next, context);\n  return { ...written,',
    to: 'return { ...entry,',
    lives: '--story rotate',
  },
  {
    id: 'entry-not-read-again',
    guard: 'the entry is read again right before the password is sent',
    file: setPassword,
    from: 'if (live?.metadata.resourceVersion !== noted.metadata.resourceVersion)',
    to: 'if (live === undefined)',
    lives: '--story rotate --harm freezeLong --calls updatePassword|secrets',
    survives:
      'a thawed process has lost the Lease, and the fence stops its request; test/unit/reconcile/act/set-password.test.ts fails',
  },
  {
    id: 'attempt-not-resolved',
    guard: 'an open create is resolved before any other action',
    file: policy,
    from: '  resolveCreateAttempt, // ',
    to: '  // ',
    lives: '--story create --harm answerLost --calls services|vpcs',
  },
  {
    id: 'lost-recreated',
    guard: 'a lost resource is recreated only with the approval of a user',
    file: policy,
    from: '    reportLost, // ',
    to: '    // ',
    lives: '--story recreate',
  },
  {
    id: 'leftover-ignored',
    guard: 'an object asks about the resource of an earlier object of its name',
    file: policy,
    from: '    askAboutLeftovers, // ',
    to: '    // ',
    lives: '--story retain',
  },
  {
    id: 'bytes-replaced',
    guard: 'a password that is not UTF-8 is refused (F2)',
    file: 'src/resources/connection-secret.ts',
    from: "new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })",
    to: "new TextDecoder('utf-8', { ignoreBOM: true })",
    lives: '--story latin',
  },
  {
    id: 'odd-figure-stops-all',
    guard: 'an odd value concerns only its own resource (F5)',
    file: 'src/cloud/read-item.ts',
    from: '  if (!rest.success) {',
    to: '  if (!rest.success || issues.length > 0) {',
    lives: '--story oddFigure',
  },
  {
    id: 'last-key-released',
    guard: 'the operator holds the Secret of the last key that worked (F13)',
    file: 'src/reconcile/act/user-secrets.ts',
    from: '(isNamed || recordOf(object, caches).credentialsSecret === name) && hasSomething(object, caches)',
    to: 'isNamed && hasSomething(object, caches)',
    lives: '--story lastKey',
  },
  {
    id: 'swap-refused',
    guard: 'two objects may swap the names of their connection Secrets (F1)',
    file: 'src/reconcile/connection/hand-over.ts',
    from: `    write.name === secret.metadata.name &&
    isGivenUp(secret, owner, context)`,
    to: `    write.name !== secret.metadata.name &&
    isGivenUp(secret, owner, context)`,
    lives: '--story swap',
  },
  {
    id: 'holder-not-named',
    guard: 'the last status of a released object names the finalizer that holds it (F4)',
    file: 'src/reconcile/decide/last-words.ts',
    from: 'if (holders.length === 0) return undefined;',
    to: 'if (holders.length >= 0) return undefined;',
    lives: '--story held',
  },
  {
    id: 'words-after-release',
    guard: 'a held object gets its last words before its release',
    file: 'src/reconcile/decide/rules/always.ts',
    from: 'if (words !== undefined && syncedOf(object)?.message !== words)',
    to: 'if (words === undefined && syncedOf(object)?.message === words)',
    lives: '--story held --harm dieAnswered --calls managedservices',
  },
  {
    id: 'pause-without-end',
    guard: 'during a long pause of a key, the status has its end (F7)',
    file: 'src/cloud/cloud-error.ts',
    from: "if (pausedUntilMs === undefined) return '';",
    to: "if (pausedUntilMs === undefined || pausedUntilMs > 0) return '';",
    lives: '--story limited',
  },
  {
    id: 'pause-of-an-hour',
    guard: 'a key pauses for ten minutes at most (F7)',
    file: 'src/cloud/read-reply.ts',
    from: 'const maxRetryAfterMs = 600_000;',
    to: 'const maxRetryAfterMs = 3_600_000;',
    lives: '--story limited',
  },
  {
    id: 'time-without-words',
    guard: 'a wrong time of a fork is refused with its value (F11)',
    file: 'src/resources/fork.ts',
    from: "rule: `self.matches('${dateAndTime}') && (",
    to: "rule: `timestamp(self) > timestamp('${dateAndTime.slice(0, 2)}00-01-01T00:00:00Z') && (",
    lives: '--story fork',
    survives:
      'only the API server evaluates the rule, by the definitions in crds/; test/integration/crds.test.ts fails',
  },
  {
    id: 'last-key-not-named',
    guard: 'the status of a deletion names the Secret of the last key that worked (F13)',
    file: 'src/reconcile/decide/rules/always.ts',
    from: 'if (last !== undefined) return `set spec.credentialsRef.name back to "${last}"`;',
    to: 'if (last?.length === 0) return `set spec.credentialsRef.name back to "${last}"`;',
    lives: '--story lastKeyOfNamespace',
  },
  {
    id: 'definition-ignored',
    guard: 'the deletion of a CustomResourceDefinition deletes nothing in the cloud',
    file: deleting,
    from: '  if (deletion.crdTerminating) {',
    to: '  if (deletion.crdTerminating && deletion.started) {',
    lives: '--story definition',
  },
  {
    id: 'remains-ignored',
    guard: 'processes that share the objects end the entry that a dead process left behind',
    file: 'src/runtime/shard.ts',
    from: "if (object || !shared.hasRemains(key)) return 'forget';",
    to: "if (object || !shared.hasRemains(key) || since > 0) return 'forget';",
    lives: '--story shards --harm dieUnanswered --calls PATCH.readreplicasets/reads\\W\\s',
  },
];
