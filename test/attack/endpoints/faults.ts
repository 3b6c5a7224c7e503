import type { FaultInput } from '../../../src/simulator/faults.ts';

/** A failure of an endpoint that lasts until the test clears it. */
export interface Fault {
  readonly title: string;
  readonly on: (operation: string) => FaultInput;
  /** Matches each fitting message. */
  readonly words: RegExp;
  /**
   * The speed of policy time during the measurement: slow enough that a busy machine delays no report.
   * A hanging call ends in real time, so its fault needs real time.
   */
  readonly speed: number;
  /** The same once it has ended. */
  readonly recoverySpeed: number;
  /** It is about the API key, and so about everything that is done with it. */
  readonly isOfKey: boolean;
  /** How long it may take until all is well again once it has ended, in real time. */
  readonly recoveryMs: number;
}

export const faults: readonly Fault[] = [
  {
    title: '500',
    on: (operation) => ({ kind: 'errorBefore', operation, status: 500 }),
    words: /HTTP 500|\(server\)/u,
    speed: 2,
    recoverySpeed: 20,
    isOfKey: false,
    recoveryMs: 60_000,
  },
  {
    title: '404',
    on: (operation) => ({
      kind: 'errorBefore',
      operation,
      status: 404,
      body: { message: 'nothing here' },
    }),
    words: /nothing here|HTTP 404/u,
    speed: 2,
    recoverySpeed: 20,
    isOfKey: false,
    recoveryMs: 60_000,
  },
  {
    title: '401',
    on: (operation) => ({
      kind: 'errorBefore',
      operation,
      status: 401,
      body: { message: 'who are you' },
    }),
    words: /does not accept|who are you|HTTP 401|API key/u,
    speed: 2,
    recoverySpeed: 20,
    isOfKey: true,
    recoveryMs: 60_000,
  },
  {
    title: 'unreadable',
    on: (operation) => ({ kind: 'malformed', operation, as: 'notJson' }),
    words: /could not be understood|\(unreadable\)/u,
    speed: 2,
    recoverySpeed: 20,
    isOfKey: false,
    recoveryMs: 60_000,
  },
  {
    title: 'hangs',
    on: (operation) => ({ kind: 'delay', operation, delayMs: 600_000 }),
    words: /did not answer in time|\(timeout\)/u,
    speed: 1,
    recoverySpeed: 1,
    isOfKey: false,
    recoveryMs: 240_000,
  },
  {
    title: '429 with Retry-After of an hour',
    on: (operation) => ({ kind: 'rateLimit', operation, retryAfterSeconds: 3_600 }),
    words: /limits how often/u,
    speed: 2,
    recoverySpeed: 120,
    isOfKey: true,
    recoveryMs: 150_000,
  },
];
