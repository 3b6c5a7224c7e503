import {
  passwordKeys,
  type EntryContent,
  type LedgerEntryWithData,
} from '../../resources/ledger-entry.ts';
import type { PasswordChanges } from './write-entry.ts';

/** The passwords of an entry that change in a single write. Pure: an act writes it. */
export interface PasswordWrite {
  readonly content: EntryContent;
  readonly data: PasswordChanges;
}

/** The part of an entry that its passwords change. */
export type PasswordsOf = Pick<LedgerEntryWithData, 'data'> & { readonly content: EntryContent };

/**
 * Notes the password that is sent next. The cloud may have accepted a password that was in flight, so the entry keeps
 * that password, as `unclear`, until the cloud accepts another password.
 * @param origin the request that the password answers
 */
export function withNext(
  { content: { next: superseded, ...content }, data }: PasswordsOf,
  { password, origin }: { readonly password: string; readonly origin: string },
): PasswordWrite {
  if (!superseded)
    return {
      content: { ...content, next: { from: origin } },
      data: { [passwordKeys.next]: password },
    };
  return {
    content: { ...content, unclear: superseded, next: { from: origin } },
    data: {
      [passwordKeys.next]: password,
      [passwordKeys.unclear]: data[passwordKeys.next] ?? null,
    },
  };
}

/**
 * The cloud has accepted the next password: it is the present password, and earlier passwords are forgotten.
 * @param numberInSecret the number of the password in the connection Secret, which is higher than that of a ledger from
 * a backup; 0 without a Secret of the resource
 * @param unansweredAt policy time of an earlier call that may still arrive, and would undo another password; undefined
 * without such a call
 */
export function withAccepted(
  { content: { next, unclear: _unclear, unansweredAt: _at, ...content } }: PasswordsOf,
  {
    password,
    numberInSecret,
    unansweredAt,
  }: {
    readonly password: string;
    readonly numberInSecret: number;
    readonly unansweredAt: number | undefined;
  },
): PasswordWrite {
  return {
    content: {
      ...content,
      passwordNumber: Math.max(content.passwordNumber, numberInSecret) + 1,
      hasPassword: true,
      ...(next && { passwordFrom: next.from }),
      ...(unansweredAt !== undefined && { unansweredAt: new Date(unansweredAt).toISOString() }),
    },
    data: {
      [passwordKeys.present]: password,
      [passwordKeys.next]: null,
      [passwordKeys.unclear]: null,
    },
  };
}

/**
 * The cloud has certainly not accepted the next password. A superseded password that may have arrived becomes the next
 * password again, and is sent again.
 */
export function withoutNext({
  content: { next: _dropped, unclear, ...content },
  data,
}: PasswordsOf): PasswordWrite {
  const before = unclear ? (data[passwordKeys.unclear] ?? null) : null;
  return {
    content: { ...content, ...(unclear && { next: unclear }) },
    data: { [passwordKeys.next]: before, [passwordKeys.unclear]: null },
  };
}
