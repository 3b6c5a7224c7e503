/** One of the guards that keep a database from being lost, doubled, hijacked or locked out, and how to take it out. */
export interface Guard {
  readonly name: string;
  readonly file: string;
  /** The exact text that is the guard; it is there once. */
  readonly text: string;
  readonly replacement: string;
  /** The test files of which one must go red without it. */
  readonly tests: readonly string[];
  /** Only the tests whose title fits. */
  readonly title?: string;
}

const crash = (name: string) => `test/crash/${name}.test.ts`;
const safety = (name: string) => `test/integration/safety/${name}.test.ts`;
const story = (name: string) => `test/integration/reconcile/${name}.test.ts`;
const unit = (name: string) => `test/unit/${name}.test.ts`;

/** All that docs/safety.md promises stands on one of these. */
export const guards: readonly Guard[] = [
  // Creating exactly once.
  {
    name: 'the record is written before the POST',
    file: 'src/reconcile/act/create.ts',
    text: 'opened = await writeRecord(object, { ...action.record, attempt }, context);',
    replacement: 'opened = object;',
    tests: [crash('create')],
  },
  {
    name: 'a create is not sent again by the transport',
    file: 'src/cloud/perform-call.ts',
    text: "if (outcome.type !== 'replied') return {",
    replacement:
      "if (outcome.type === 'failed' && call.again === undefined) return performCall(line, { ...call, again: true });\n  if (outcome.type !== 'replied') return {",
    tests: [crash('create')],
  },
  {
    name: 'the Secret that was stored with the answer is looked at',
    file: 'src/reconcile/observe/observe-attempt.ts',
    text: 'record.secretName === undefined ? undefined : await storedId(object, attempt, record.secretName, context)',
    replacement: 'undefined',
    tests: [crash('stored-answer')],
  },
  {
    name: 'what the Secret names carries the name of the attempt',
    file: 'src/reconcile/observe/resolve-attempt.ts',
    text: 'candidatesAmong([seen]).length > 0 ? answer : undefined',
    replacement: 'answer',
    tests: [unit('reconcile/resolve-attempt')],
  },
  {
    name: 'what the Secret names and is gone is not made again',
    file: 'src/reconcile/observe/resolve-attempt.ts',
    text: "return begunAt < closesAt ? { state: 'looking', attempt, again: now() + lookAgain.forCloudMs } : answer;",
    replacement: 'return begunAt < closesAt && now() < 0 ? answer : undefined;',
    tests: [unit('reconcile/resolve-attempt')],
  },
  {
    name: 'nothing came of a create only two minutes later',
    file: 'src/reconcile/observe/resolve-attempt.ts',
    text: 'if (first.begunAt < closesAt)',
    replacement: 'if (first.begunAt < 0)',
    tests: [unit('reconcile/resolve-attempt')],
  },
  {
    name: 'a second list agrees before an open create is closed',
    file: 'src/reconcile/observe/resolve-attempt.ts',
    text: 'const second = await list.since(first.begunAt + 1);',
    replacement: 'const second = first;',
    tests: [unit('reconcile/resolve-attempt')],
  },
  {
    name: 'a list that closes a create is whole',
    file: 'src/reconcile/observe/resolve-attempt.ts',
    text: 'if (!areWhole || ',
    replacement: 'if (areWhole === undefined || ',
    tests: [unit('reconcile/resolve-attempt')],
  },
  {
    name: 'ids that had the name before are not the answer',
    file: 'src/reconcile/record/attempt.ts',
    text: '!attempt.sameNameIds.includes(found.id) && ',
    replacement: '',
    tests: [unit('reconcile/attempt')],
  },
  {
    name: 'what somebody owns is not the answer',
    file: 'src/reconcile/record/attempt.ts',
    text: ' && !isClaimed(found.id)',
    replacement: '',
    tests: [unit('reconcile/attempt')],
  },
  {
    name: 'a chosen name is never taken by itself',
    file: 'src/reconcile/observe/resolve-attempt.ts',
    text: "if (verdict.kind !== 'one' || isOursAlone(attempt) || createsAlone(policy)) return verdict;",
    replacement: 'if (attempt.id !== policy.deletionPolicy) return verdict;',
    tests: [unit('reconcile/attempt')],
  },
  {
    name: 'a request is too old to be sent after ten seconds',
    file: 'src/reconcile/act/fence.ts',
    text: 'performance.now() - steady < sendWithinMs && ',
    replacement: '',
    tests: [unit('reconcile/fence')],
  },
  {
    name: 'a process whose wall clock jumped sends nothing old',
    file: 'src/reconcile/act/fence.ts',
    text: ' && Math.abs(Date.now() - wall) < sendWithinMs',
    replacement: '',
    tests: [unit('reconcile/fence')],
  },
  {
    name: 'only the leader sends',
    file: 'src/reconcile/act/fence.ts',
    text: 'leadership.held && ',
    replacement: '',
    tests: [unit('reconcile/fence'), 'test/attack/failover.test.ts'],
  },
  {
    name: 'only the leader writes to Kubernetes',
    file: 'src/runtime/write-gate.ts',
    text: 'if (mayWrite()) ',
    replacement: 'if (mayWrite() || options.method !== undefined) ',
    tests: ['test/integration/runtime/kubernetes-client.test.ts', safety('lease')],
  },
  {
    name: 'a lease is not held by a steady clock that stood still',
    file: 'src/runtime/lease.ts',
    text: ' && Math.abs(now.wall - asked.wall) < withinMs',
    replacement: '',
    tests: [unit('runtime/lease')],
  },
  {
    name: 'a lease is not held by a wall clock that stood still',
    file: 'src/runtime/lease.ts',
    text: 'now.steady - asked.steady < withinMs && ',
    replacement: '',
    tests: [unit('runtime/lease')],
  },
  {
    name: 'a lease runs from when its last renewal was seen, and a note on it renews nothing',
    file: 'src/runtime/lease.ts',
    text: 'return isSame ? ',
    replacement: 'return isSame && before.at < 0 ? ',
    tests: [unit('runtime/lease')],
  },
  {
    name: 'a lease that somebody deleted is not taken before it would have run out',
    file: 'src/runtime/leader-election.ts',
    text: 'if (lookout.known && ',
    replacement: 'if (lease && lookout.known && ',
    tests: ['test/integration/runtime/leader-election.test.ts'],
  },
  {
    name: 'whoever cannot renew the lease gives it up before others may take it',
    file: 'src/runtime/leader-election.ts',
    text: 'return tenure.isLeading && tenure.isProvenWithin(renewDeadlineMs);',
    replacement: 'return tenure.hasBegun && tenure.isProvenWithin(Infinity);',
    tests: ['test/integration/runtime/leader-election.test.ts'],
  },
  {
    name: 'whoever takes the lease works nothing before it has caught up',
    file: 'src/runtime/life.ts',
    text: '    await caches.catchUp(client, ending.signal);\n',
    replacement: '',
    tests: [safety('takeover')],
  },
  {
    name: 'what the cloud answered to a create is recorded without the lease, too',
    file: 'src/reconcile/act/create.ts',
    text: 'const late = { ...context, kubernetes: context.recording };',
    replacement: 'const late = { ...context };',
    tests: [crash('standby')],
  },
  {
    name: 'a create goes through the fence',
    file: 'src/reconcile/act/create.ts',
    text: 'mayBeSent: fence, ',
    replacement: '',
    tests: [safety('lease')],
  },
  {
    name: 'an answer in hand is recorded, whoever edits the object meanwhile',
    file: 'src/reconcile/act/record-created.ts',
    text: 'if (!isOvertaken && !isPassing(error)) throw error;',
    replacement: 'throw error;',
    tests: [safety('attempts'), safety('records'), crash('create')],
  },

  // What an object knows.
  {
    name: 'a record that was taken away is written back',
    file: 'src/reconcile/decide/rules/ownership.ts',
    text: "if (isRecordLost) return write({ type: 'writeRecord', record }, 'the record was taken away and is written back');",
    replacement: "if (isRecordLost && hasFinalizer) return stall('RecordConflict', '');",
    tests: [safety('replaced')],
  },
  {
    name: 'an answer in hand finds its object, whatever became of the annotation',
    file: 'src/reconcile/act/record-created.ts',
    text: 'isOverruled(attempt, record, recordIn(current))',
    replacement: 'recordIn(current)?.attempt?.id !== attempt.id || isOverruled(attempt, record)',
    tests: [safety('replaced')],
  },
  {
    name: 'an id that another place knows makes the create of a record an old one',
    file: 'src/reconcile/observe/open-attempt.ts',
    text: 'attempt && !isOld && ',
    replacement: 'attempt && isOld !== undefined && ',
    tests: [unit('reconcile/identity')],
  },
  {
    name: 'an older record is told from a newer one',
    file: 'src/reconcile/process/known-record.ts',
    text: 'isOlder(there.record, remembered.record);',
    replacement: 'isOlder({}, {});',
    tests: [unit('reconcile/known-record')],
  },
  {
    name: 'a record that was lost knows its peerings again',
    file: 'src/reconcile/kinds/vpc/policy.ts',
    text: 'recordParts: ({ object }) => madePeerings(object) }',
    replacement: 'recordParts: ({ object }) => (madePeerings(object) ? {} : undefined) }',
    tests: [safety('replaced')],
  },
  {
    name: 'a record that was lost knows its attachment again',
    file: 'src/reconcile/kinds/service/known-by-status.ts',
    text: '...(attached === undefined ? {} : { vpcAttachment: attached }),',
    replacement: "...(attached === '' ? { vpcAttachment: attached } : {}),",
    tests: [safety('replaced')],
  },
  {
    name: 'what was known of a lost resource stays while another is to take its place',
    file: 'src/reconcile/decide/rules/creation.ts',
    text: '...withoutAttempt(record), clusterUid,',
    replacement: '...(({ id, replaces }) => ({ id, replaces }))(withoutAttempt(record)), clusterUid,',
    tests: [safety('recreation')],
  },

  // Whose it is.
  {
    name: 'of two equal claims none counts',
    file: 'src/reconcile/process/claims.ts',
    text: 'return first && !first.isOriginal && equals.length > 0 ? [first, ...equals] : [];',
    replacement: 'return first && equals.length < 0 ? [first, ...equals] : [];',
    tests: [unit('reconcile/claims')],
  },
  {
    name: 'a take-over is of one object alone',
    file: 'src/reconcile/situation/take-over.ts',
    text: 'return `${claimedId(known)} ${metadata.uid}`;',
    replacement: 'return metadata.uid && claimedId(known);',
    tests: [safety('identity')],
  },
  {
    name: 'a take-over is taken off when it was heard',
    file: 'src/reconcile/act/patch-object.ts',
    text: '[annotations.takeOver]: null,',
    replacement: '',
    tests: [safety('identity')],
  },
  {
    name: 'the earliest claim owns',
    file: 'src/reconcile/process/claims.ts',
    text: 'a.claimedAt.localeCompare(b.claimedAt)',
    replacement: '0',
    tests: [unit('reconcile/claims')],
  },
  {
    name: 'a copy of a record never owns before the original',
    file: 'src/reconcile/process/claims.ts',
    text: 'Number(b.isOriginal) - Number(a.isOriginal)',
    replacement: '0',
    tests: [unit('reconcile/claims')],
  },
  {
    name: 'patches carry the uid of what was seen',
    file: 'src/reconcile/act/patch-object.ts',
    text: 'const body = { metadata: { uid, resourceVersion, ...metadata } };',
    replacement: 'const body = { metadata: { ...(uid ? { resourceVersion } : {}), ...metadata } };',
    tests: [story('writes'), safety('identity'), crash('create')],
  },
  {
    name: 'patches carry the resourceVersion of what was seen',
    file: 'src/reconcile/act/patch-object.ts',
    text: 'const body = { metadata: { uid, resourceVersion, ...metadata } };',
    replacement: 'const body = { metadata: { ...(resourceVersion ? { uid } : {}), ...metadata } };',
    tests: [story('writes'), safety('identity'), safety('deletion'), story('deletion')],
  },
  {
    name: 'an object of another cluster only looks',
    file: 'src/reconcile/observe/claim.ts',
    text: "if (isOfAnotherCluster && !accepts(record.clusterUid)) return { state: 'elsewhere', where: `another cluster (${record.clusterUid})` };",
    replacement: '',
    tests: [story('restore')],
  },
  {
    name: 'a record of another uid counts only where nobody else can have it',
    file: 'src/reconcile/observe/claim.ts',
    text: 'if (id !== undefined && !policy.seesAllObjects && !isConfirmed) {',
    replacement: 'if (id === uid) {',
    tests: [safety('identity')],
  },
  {
    name: 'who does not own changes nothing',
    file: 'src/reconcile/observe/claim.ts',
    text: "if (owner && owner.uid !== uid) return { state: 'another', owner };",
    replacement: '',
    tests: [safety('identity')],
  },
  {
    name: 'a Secret alone proves nothing in another cluster',
    file: 'src/reconcile/observe/claim.ts',
    text: 'isSecretAlone && secret?.clusterUid !== clusterUid',
    replacement: 'isSecretAlone && secret?.clusterUid === id',
    tests: [safety('identity')],
  },
  {
    name: 'a key of another project calls nothing',
    file: 'src/reconcile/decide/rules/credentials.ts',
    text: '|| pinnedProject === account.account.projectId',
    replacement: '|| pinnedProject !== undefined',
    tests: [story('credentials')],
  },

  // Gone.
  {
    name: 'nothing is gone for a key of another project',
    file: 'src/cloud/finder.ts',
    text: 'absences.isProven(id) && (await this.#isConfirmed(later.ordinal))',
    replacement: 'absences.isProven(id)',
    tests: [unit('cloud/list-poller')],
  },
  {
    name: 'a list that lacks something else without an explanation proves nothing',
    file: 'src/cloud/absences.ts',
    text: 'if (own === undefined || others === 0) return own;',
    replacement: 'if (own === undefined || others >= 0) return own;',
    tests: [unit('cloud/absences')],
  },
  {
    name: 'a list proves what it lacks only if it was begun after what explains that',
    file: 'src/cloud/absences.ts',
    text: 'return row !== undefined && from !== undefined && row.last >= from;',
    replacement: 'return row !== undefined && from !== undefined;',
    tests: [unit('cloud/absences')],
  },
  {
    name: 'a list that lacks a great deal at once is not believed',
    file: 'src/cloud/absences.ts',
    text: 'const isBelieved = this.#open.size <= Math.max(fewAtOnce, (present + this.#open.size) * shareAtOnce);',
    replacement: 'const isBelieved = present <= known.size * shareAtOnce * fewAtOnce * 1_000;',
    tests: [unit('cloud/absences'), unit('cloud/list-poller')],
  },
  {
    name: 'a 404 beside failures does not explain a great loss',
    file: 'src/cloud/finder.ts',
    text: "if (asked.some(({ status }) => status === 'rejected')) keeper.absences.beginAgain();",
    replacement: "if (asked.length > 0 && asked.every(({ status }) => status === 'rejected')) keeper.absences.beginAgain();",
    tests: [unit('cloud/list-poller')],
  },
  {
    name: 'a 404 counts no more once the cloud finds it',
    file: 'src/cloud/absences.ts',
    text: 'if (this.#denied.delete(id)) this.#leaveOpen(id);',
    replacement: 'if (this.#denied.has(id)) this.#leaveOpen(id);',
    tests: [unit('cloud/absences')],
  },
  {
    name: 'a list is not whole while the cloud finds what it lacks',
    file: 'src/cloud/finder.ts',
    text: 'if (absences.isExplainedByCloud(id)) continue;',
    replacement: 'if (absences.isExplainedByCloud(id) || absences.isMissingLong(id) || ordinal > 0) continue;',
    tests: [unit('cloud/list-poller')],
  },
  {
    name: 'nothing is taken for gone by a list of a while ago',
    file: 'src/cloud/finder.ts',
    text: 'Math.max(absences.provenByListFrom(id) ?? clock.now(), clock.now() - freshMs)',
    replacement: 'absences.provenByListFrom(id) ?? clock.now() - freshMs',
    tests: [unit('cloud/list-poller')],
  },

  // Deleting.
  {
    name: 'the deletion is written down before the DELETE',
    file: 'src/reconcile/act/delete.ts',
    text: 'const marked = record === undefined ? object : await writeRecord(object, record, context);',
    replacement: 'const marked = await Promise.resolve(object).finally(() => [record, writeRecord]);',
    tests: [safety('deletion'), story('deletion'), crash('delete')],
  },
  {
    name: 'a mark of a begun deletion counts for its own object alone',
    file: 'src/reconcile/situation/deletion-started.ts',
    text: 'return record.deletionStarted === deletionMark(id, object);',
    replacement: "return record.deletionStarted?.startsWith(`${id} `) === true || object.kind === 'x';",
    tests: [safety('deletion')],
  },
  {
    name: 'what is PROD is protected',
    file: 'src/reconcile/situation/deletion-policy.ts',
    text: "object.spec.deletionProtection ?? environment === 'PROD'",
    replacement: "object.spec.deletionProtection ?? environment === 'NONE'",
    tests: [story('deletion')],
  },
  {
    name: 'dependents hold what they hang on',
    file: 'src/reconcile/decide/rules/deletion.ts',
    text: 'if (dependents.length === 0) return undefined;',
    replacement: 'if (dependents.length >= 0) return undefined;',
    tests: [story('deletion')],
  },
  {
    name: 'what is kept is not deleted',
    file: 'src/reconcile/decide/rules/deletion.ts',
    text: 'return isKept(situation) ? ',
    replacement: 'return isKept(situation) && deletion.requested === undefined ? ',
    tests: [story('deletion'), story('adoption')],
  },
  {
    name: 'an open create is resolved before an object is let go',
    file: 'src/reconcile/decide/rules/deletion.ts',
    text: ' || attempt !== undefined) return undefined;',
    replacement: ' || attempt === null) return undefined;',
    tests: [safety('attempts'), safety('deletion'), crash('create')],
  },
  {
    name: 'a DELETE goes through the fence',
    file: 'src/reconcile/act/delete.ts',
    text: 'sendFence(context.leadership)',
    replacement: '() => sendFence !== undefined',
    tests: [safety('lease')],
  },

  // Secrets.
  {
    name: 'an API key is held while something needs it',
    file: 'src/reconcile/act/hold-credentials.ts',
    text: '...withFinalizer(secret, credentialsFinalizer),',
    replacement: '...(credentialsFinalizer ? {} : withFinalizer(secret, credentialsFinalizer)),',
    tests: [story('credentials')],
  },
  {
    name: 'Kubernetes is asked whether it takes a Secret before a password goes out',
    file: 'src/reconcile/act/set-password.ts',
    text: '  await checkSecret(current, wanted, data, context);\n',
    replacement: '',
    tests: [safety('passwords'), safety('refused-secrets')],
  },
  {
    name: 'a password is stored before it is sent',
    file: 'src/reconcile/act/set-password.ts',
    text: 'const pending = await putPending(replaced, identity, { password, origin }, context);',
    replacement:
      'const pending = { ...(await putPending(replaced, identity, { password: context.newPassword(), origin }, context)), data: { password } };',
    tests: [crash('password')],
  },
  {
    name: 'an unanswered password waits until it can no longer arrive',
    file: 'src/reconcile/kinds/service/rules/password.ts',
    text: 'const unansweredMs = 160_000;',
    replacement: 'const unansweredMs = 0;',
    tests: [story('passwords'), safety('passwords')],
  },
  {
    name: 'a change goes through the fence',
    file: 'src/reconcile/act/change.ts',
    text: '{ mayBeSent: sendFence(context.leadership) }',
    replacement: '{ mayBeSent: () => sendFence !== undefined }',
    tests: [safety('lease')],
  },
  {
    name: 'a password goes through the fence',
    file: 'src/reconcile/act/set-password.ts',
    text: '{ mayBeSent: sendFence(context.leadership) }',
    replacement: '{ mayBeSent: () => sendFence !== undefined }',
    tests: [safety('lease')],
  },
  {
    name: 'an initial password takes the place of no other',
    file: 'src/reconcile/act/store-initial-password.ts',
    text: "if (current && idIn(current) === answer.id && storedPassword(current).state !== 'none') return;",
    replacement: '',
    tests: [safety('frozen-process')],
  },
  {
    name: 'a Secret that is not ours is not overwritten',
    file: 'src/reconcile/connection/ours.ts',
    text: 'return isMarked && metadata.annotations?.[connectionAnnotations.owner] === ownerText(object);',
    replacement: 'return isMarked || metadata.annotations?.[connectionAnnotations.owner] !== ownerText(object);',
    tests: [safety('secrets'), safety('passwords')],
  },
  {
    name: 'the password of what was taken over is not reset unasked',
    file: 'src/reconcile/kinds/service/rules/password.ts',
    text: "return !isStored && record.password === 'managed';",
    replacement: 'return !isStored;',
    tests: [story('adoption')],
  },
  {
    name: 'a password that the cloud took is not sent again',
    file: 'src/reconcile/act/set-password.ts',
    text: "known.isSent === 'taken' || ",
    replacement: '',
    tests: [safety('refused-secrets')],
  },
  {
    name: "a password that may be the cloud's is not thrown away for another",
    file: 'src/reconcile/connection/pending-password.ts',
    text: '...(before ? [before] : [])',
    replacement: '',
    tests: [safety('refused-secrets')],
  },
  {
    name: 'an answer that is heard late is stored only for an object that still waits for it',
    file: 'src/reconcile/act/store-initial-password.ts',
    text: 'if (!isFirst && !(await isOpen(object, attempt, context))) return;',
    replacement: '',
    tests: [safety('frozen-process')],
  },
];
