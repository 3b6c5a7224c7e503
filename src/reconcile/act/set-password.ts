import { entryName, entryOf } from '../ledger/entry.ts';
import { orCloudError, type CloudError } from '../../cloud/cloud-error.ts';
import {
  passwordKeys,
  type EntryContent,
  type LedgerEntryWithData,
} from '../../resources/ledger-entry.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { keyOf, resourceKey } from '../../runtime/index.ts';
import { givenValue } from '../../resources/connection-secret.ts';
import { isOfResource, passwordNumberIn, unfitFor } from '../connection/projection.ts';
import { readSecret } from '../connection/observe-connection.ts';
import { putConnection } from './connection.ts';
import type { Account } from '../credentials/accounts.ts';
import { readEntry, updateEntry } from '../ledger/write-entry.ts';
import type { Context } from '../wiring/context.ts';
import type { SetPasswordAction } from '../step/step.ts';
import { overtaken } from '../step/errors.ts';
import type { Outcome } from '../step/outcome.ts';
import { unansweredMs } from '../step/connection.ts';
import { fenceAfterLook } from './fence.ts';

interface Ready extends LedgerEntryWithData {
  readonly content: EntryContent & { readonly next: { readonly from: string } };
}

/** Sets a password, in the order of docs/architecture.md, The ledger. After a crash, the next visit sends the same password again. */
export async function setPassword(
  action: SetPasswordAction,
  object: ManagedObject,
  account: Account,
  context: Context,
): Promise<Outcome> {
  const change = { operation: 'updateServicePassword', wanted: action.origin };
  const operation = `write ledger entry ${entryName(object)}`;
  // A process that was frozen finds here that another process has continued.
  const entry = await readEntry(entryName(object), context);
  const isAsSeen =
    entry?.metadata.resourceVersion === entryOf(object, context.caches)?.metadata.resourceVersion;
  if (entry?.content?.id !== action.id || !isAsSeen) throw overtaken(operation);
  const inFlight = action.supersedes ? undefined : entry.content.next;
  const noted = inFlight && { ...entry, content: { ...entry.content, next: inFlight } };
  const password = noted
    ? noted.data[passwordKeys.next]
    : await otherPassword(action, object, context);
  if (password === undefined) {
    if (noted) await dropNext(noted, context); // a webhook or a person removed the password from the entry
    throw overtaken(operation);
  }
  // A password that Kubernetes would refuse is not even noted.
  await putConnection(action.write, object, password, context, { dryRun: true });
  const ready =
    noted ?? (await noteNext(entry, entry.content, password, action.origin, object, context));
  const mayBeSent = await fenceAfterLook(object, context);
  // A process that was frozen since it read the entry must not send its password after another process sent a newer password.
  const live = await readEntry(entryName(object), context);
  if (live?.metadata.resourceVersion !== ready.metadata.resourceVersion) throw overtaken(operation);
  const memory = memoryOf(object, context);
  const isFirst = memory.neverSent === ready.metadata.resourceVersion;
  memory.neverSent = undefined;
  const error = await orCloudError(
    account.project.updateServicePassword(action.id, { password }, { mayBeSent }),
  );
  if (error) {
    await afterFailure(error, isFirst, ready, object, context);
    return { type: 'failed', error, object, change };
  }
  const number = await promote(ready, password, action, object, context);
  const message = `the password was set; Secret "${action.write.name}" has it`;
  await putConnection(
    { ...action.write, password: { entry: entryName(object), id: action.id, number } },
    object,
    password,
    context,
  );
  context.events.record(object, { type: 'Normal', reason: 'RotatingPassword', message });
  return { type: 'done', object };
}

/** A user's password, or a new password. Undefined if the user's Secret has no suitable password any more. */
async function otherPassword(
  { source }: SetPasswordAction,
  object: ManagedObject,
  context: Context,
): Promise<string | undefined> {
  if (!source) return context.newPassword();
  const secret = await readSecret(object.metadata.namespace, source.name, context);
  const given = secret && givenValue(secret, source.key);
  return given?.state === 'text' && unfitFor(given) === undefined ? given.text : undefined;
}

/** The cloud may have accepted the superseded password, so the entry keeps it until the cloud accepts another password. */
async function noteNext(
  entry: LedgerEntryWithData,
  { next: superseded, ...content }: EntryContent,
  password: string,
  origin: string,
  object: ManagedObject,
  context: Context,
): Promise<Ready> {
  const wanted = {
    ...content,
    ...(superseded ? { unclear: superseded } : {}),
    next: { from: origin },
  };
  const unclearPassword = superseded
    ? { [passwordKeys.unclear]: entry.data[passwordKeys.next] ?? null }
    : {};
  const written = await updateEntry(
    entry,
    wanted,
    { [passwordKeys.next]: password, ...unclearPassword },
    context,
  );
  memoryOf(object, context).neverSent = written.metadata.resourceVersion;
  return { ...written, content: wanted };
}

/** Writes the accepted password, and forgets all earlier passwords. Returns its number. */
async function promote(
  ready: Ready,
  password: string,
  { write, unansweredAt: before = -Infinity }: SetPasswordAction,
  object: ManagedObject,
  context: Context,
): Promise<number> {
  const { next, unclear: _unclear, unansweredAt: _at, ...rest } = ready.content;
  const unansweredAt = Math.max(
    before,
    memoryOf(object, context).passwordUnansweredAt ?? -Infinity,
  );
  const mayArrive = context.clock.now() - unansweredAt < unansweredMs;
  // The Secret has a higher number than a ledger that was restored from a backup.
  const secret = context.caches.connectionSecrets.get(
    resourceKey(object.metadata.namespace, write.name),
  );
  const inSecret = secret && isOfResource(secret, write.resource) ? passwordNumberIn(secret) : 0;
  const passwordNumber = Math.max(rest.passwordNumber, inSecret) + 1;
  const accepted: EntryContent = {
    ...rest,
    passwordNumber,
    hasPassword: true,
    passwordFrom: next.from,
    // An earlier call of this password may still arrive, and would undo another password that is sent meanwhile.
    ...(mayArrive ? { unansweredAt: new Date(unansweredAt).toISOString() } : {}),
  };
  const data = {
    [passwordKeys.present]: password,
    [passwordKeys.next]: null,
    [passwordKeys.unclear]: null,
  };
  await updateEntry(ready, accepted, data, context);
  return passwordNumber;
}

/** Only a clear refusal of the first sending, by the process that wrote the password, proves that the cloud does not have it. */
async function afterFailure(
  error: CloudError,
  isFirst: boolean,
  ready: Ready,
  object: ManagedObject,
  context: Context,
): Promise<void> {
  const memory = memoryOf(object, context);
  if (!error.changedNothing) memory.passwordUnansweredAt = context.clock.now();
  else if (isFirst && isRejected(error)) await dropNext(ready, context);
  else if (isFirst) memory.neverSent = ready.metadata.resourceVersion;
}

/** Drops the next password. A superseded password that may have arrived becomes the next password again, and is sent again. */
async function dropNext(ready: Ready, context: Context): Promise<void> {
  const { next: _dropped, unclear, ...rest } = ready.content;
  const before = unclear ? (ready.data[passwordKeys.unclear] ?? null) : null;
  const left: EntryContent = { ...rest, ...(unclear ? { next: unclear } : {}) };
  await updateEntry(
    ready,
    left,
    { [passwordKeys.next]: before, [passwordKeys.unclear]: null },
    context,
  );
}

/** Whether the cloud will refuse this password at every try. */
function isRejected({ kind }: CloudError): boolean {
  return (
    kind === 'invalid' || kind === 'forbidden' || kind === 'unauthorized' || kind === 'notFound'
  );
}

function memoryOf(object: ManagedObject, { memory }: Context) {
  return memory.of(object.kind, keyOf(object));
}
