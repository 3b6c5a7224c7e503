import { entryName, entryOf } from '../ledger/entry.ts';
import { orCloudError, type CloudError } from '../../cloud/cloud-error.ts';
import {
  passwordKeys,
  type EntryContent,
  type LedgerEntryWithData,
} from '../../resources/ledger-entry.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { resourceKey } from '../../runtime/index.ts';
import { givenValue } from '../../resources/connection-secret.ts';
import { isOfResource, passwordNumberIn, unfitFor } from '../connection/projection.ts';
import { readSecret } from '../connection/observe-connection.ts';
import { putConnection } from './connection.ts';
import type { Account } from '../credentials/accounts.ts';
import { withAccepted, withNext, withoutNext, type PasswordWrite } from '../ledger/password.ts';
import { readEntry, updateEntry } from '../ledger/write-entry.ts';
import type { Context } from '../wiring/context.ts';
import type { SetPasswordAction } from '../step/step.ts';
import { overtaken } from '../step/errors.ts';
import type { Outcome, Remembrance } from '../step/outcome.ts';
import { unansweredMs } from '../step/connection.ts';
import { fenceAfterLook } from './fence.ts';

/** An entry that has the next password, in the version in which it may be sent. */
interface Noted extends LedgerEntryWithData {
  readonly content: EntryContent;
  readonly password: string;
  /** Whether no process can have sent this password before. */
  readonly isFirst: boolean;
}

/**
 * Sets a password, in the order of docs/architecture.md, The ledger. After a crash, the next visit sends the same
 * password again.
 */
export async function setPassword(
  action: SetPasswordAction,
  object: ManagedObject,
  account: Account,
  context: Context,
): Promise<Outcome> {
  const noted = await noteNext(action, object, context);
  const mayBeSent = await fenceAfterLook(object, context);
  // A process that was frozen since it read the entry must not send its password after another process sent a newer password.
  const live = await readEntry(entryName(object), context);
  if (live?.metadata.resourceVersion !== noted.metadata.resourceVersion)
    throw overtaken(operationOn(object));
  const { password } = noted;
  const error = await orCloudError(
    account.project.updateServicePassword(action.id, { password }, { mayBeSent }),
  );
  if (error) {
    const change = { operation: 'updateServicePassword', wanted: action.origin };
    const remember = await afterFailure(error, noted, context);
    return { type: 'failed', error, object, change, remember };
  }
  await showAccepted(noted, action, object, context);
  return { type: 'done', object };
}

function operationOn(object: ManagedObject): string {
  return `write ledger entry ${entryName(object)}`;
}

/**
 * Makes sure that the ledger has the password that is sent.
 * @throws {KubernetesError} `conflict` when the entry is not as this visit saw it, or has no usable password
 */
async function noteNext(
  action: SetPasswordAction,
  object: ManagedObject,
  context: Context,
): Promise<Noted> {
  // A process that was frozen finds here that another process has continued.
  const entry = await readEntry(entryName(object), context);
  const content = entry?.content;
  const isAsSeen =
    entry?.metadata.resourceVersion === entryOf(object, context.caches)?.metadata.resourceVersion;
  if (!content || content.id !== action.id || !isAsSeen) throw overtaken(operationOn(object));
  const isInFlight = content.next !== undefined && !action.supersedes;
  const password = isInFlight
    ? entry.data[passwordKeys.next]
    : await otherPassword(action, object, context);
  if (password === undefined) {
    // A webhook or a person removed the password from the entry.
    if (isInFlight) await store(entry, withoutNext({ ...entry, content }), context);
    throw overtaken(operationOn(object));
  }
  // A password that Kubernetes would refuse is not even noted.
  await putConnection({ write: action.write, password }, object, context, { dryRun: true });
  if (isInFlight) {
    const isFirst = action.neverSent === entry.metadata.resourceVersion;
    return { ...entry, content, password, isFirst };
  }
  const next = withNext({ ...entry, content }, { password, origin: action.origin });
  const written = await store(entry, next, context);
  return { ...written, content: next.content, password, isFirst: true };
}

function store(
  entry: LedgerEntryWithData,
  { content, data }: PasswordWrite,
  context: Context,
): Promise<LedgerEntryWithData> {
  return updateEntry(entry, content, data, context);
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

/** Writes the accepted password into the ledger, and then into the connection Secret. */
async function showAccepted(
  noted: Noted,
  { id, write, unansweredAt }: SetPasswordAction,
  object: ManagedObject,
  context: Context,
): Promise<void> {
  const { password } = noted;
  const secret = context.caches.connectionSecrets.get(
    resourceKey(object.metadata.namespace, write.name),
  );
  const mayArrive = unansweredAt !== undefined && context.clock.now() - unansweredAt < unansweredMs;
  const accepted = withAccepted(noted, {
    password,
    numberInSecret: secret && isOfResource(secret, write.resource) ? passwordNumberIn(secret) : 0,
    unansweredAt: mayArrive ? unansweredAt : undefined,
  });
  await store(noted, accepted, context);
  const shown = { entry: entryName(object), id, number: accepted.content.passwordNumber };
  await putConnection({ write: { ...write, password: shown }, password }, object, context);
  const message = `the password was set; Secret "${write.name}" has it`;
  context.events.record(object, { type: 'Normal', reason: 'RotatingPassword', message });
}

/** Only a clear refusal of the first sending, by the process that wrote the password, proves that the cloud does not have it. */
async function afterFailure(
  error: CloudError,
  noted: Noted,
  context: Context,
): Promise<Remembrance> {
  if (!error.changedNothing) return { passwordUnansweredAt: context.clock.now() };
  if (!noted.isFirst) return {};
  if (!isRejected(error)) return { neverSent: noted.metadata.resourceVersion };
  await store(noted, withoutNext(noted), context);
  return {};
}

/** Whether the cloud will refuse this password at every try. */
function isRejected({ kind }: CloudError): boolean {
  return (
    kind === 'invalid' || kind === 'forbidden' || kind === 'unauthorized' || kind === 'notFound'
  );
}
