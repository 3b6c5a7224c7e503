import type { Dispatcher } from 'undici';
import type { Clock } from '../../../src/runtime/index.ts';
import { nameOf } from '../../crash/fence.ts';
import { refusals, standIn, syntheticReply, type Refusal } from './synthetic-reply.ts';

/** The harm to a process at a call. */
export type Harm =
  /** The process dies before it sends the call, before it gets the reply, or with the reply in hand. */
  | { readonly kind: 'dieBefore' | 'dieUnanswered' | 'dieAnswered' }
  /** It is frozen: before the call is sent, or when the reply is there and was not read. */
  | { readonly kind: 'freezeBefore' | 'freezeAnswered'; readonly forMs: number }
  /** Kubernetes, or a component before it, refuses the request. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The connection breaks: before the call is sent, or before its reply is. */
  | { readonly kind: 'notSent' | 'answerLost' }
  /** The cloud's clock is wrong in the next replies. */
  | { readonly kind: 'wrongDate'; readonly byMs: number };

export interface Trap {
  /** The calls that can spring the trap; most can go wrong at a call that creates a cloud resource. */
  readonly at: 'cloud' | 'kubernetes' | 'create' | 'any';
  /** Which of them, from now on; the first is 1. */
  readonly nth: number;
  /** How many in a row. */
  readonly times: number;
  readonly harm: Harm;
}

/** A call that changes something. */
export interface Change {
  readonly name: string;
  readonly path: string;
  readonly isCloud: boolean;
  /** Policy time. */
  readonly at: number;
  readonly harm: Harm['kind'] | undefined;
}

/** All requests and replies of an operator, as a process that can die, and freeze as with SIGSTOP. */
export interface Process {
  readonly intercept: Dispatcher.DispatcherComposeInterceptor;
  readonly changes: readonly Change[];
  readonly state: 'running' | 'frozen' | 'dead';
  /** When it is frozen, and for how long. */
  onFrozen(listener: (forMs: number) => void): void;
  onDied(listener: () => void): void;
  set(trap: Trap): void;
  disarm(): void;
  kill(): void;
  freeze(forMs: number): void;
  /** Continues the held requests and replies in their order. */
  thaw(): void;
}

type Handler = Dispatcher.DispatchHandler;
interface ArmedTrap extends Trap {
  passed: number;
}

/**
 * When the process wakes up, a change that was held for longer is past its deadline: 10 s for a create, 30 s
 * for other calls.
 */
const sentWithinMs = 10_000;
/** A reply that was held for longer is past its deadline, too. */
const heardWithinMs = 35_000;

/** @param spy sees the body of each call that changes something */
export function operatorProcess(clock: Clock, spy: (path: string, body: unknown) => void): Process {
  const changes: Change[] = [];
  const frozenListeners: ((forMs: number) => void)[] = [];
  const diedListeners: (() => void)[] = [];
  const open = new Set<Dispatcher.DispatchController>();
  let state: Process['state'] = 'running';
  let held: (() => void)[] = [];
  let traps: ArmedTrap[] = [];
  let wrongDates: number[] = [];

  const inOrder = (act: () => void) => {
    if (state === 'dead') return;
    if (state === 'frozen') held.push(act);
    else act();
  };
  const kill = () => {
    if (state === 'dead') return;
    state = 'dead';
    held = [];
    for (const controller of open) controller.abort(new Error('the process is dead'));
    open.clear();
    for (const listener of diedListeners) listener();
  };
  const freeze = (forMs: number) => {
    if (state !== 'running') return;
    state = 'frozen';
    for (const listener of frozenListeners) listener(forMs);
  };
  const trapFor = (isCloud: boolean, name: string): Harm | undefined => {
    for (const trap of traps) {
      const isMeant =
        trap.at === 'any' ||
        (trap.at === 'create' ? isCreate(name) : trap.at === (isCloud ? 'cloud' : 'kubernetes'));
      if (!isMeant) continue;
      trap.passed += 1;
      if (trap.passed >= trap.nth + trap.times - 1) traps = traps.filter((each) => each !== trap);
      if (trap.passed >= trap.nth) return trap.harm;
    }
    return undefined;
  };
  /** Delivers replies in order, and none to a dead process. */
  const heard = (handler: Handler): Handler => {
    const sentAt = clock.now();
    let isLate = false;
    const deliver = (controller: Dispatcher.DispatchController, act: () => void) => {
      const wasFrozen = state === 'frozen';
      inOrder(() => {
        if (isLate) return;
        isLate = wasFrozen && clock.now() - sentAt > heardWithinMs;
        if (!isLate) act();
        else {
          controller.abort(new Error('too late'));
          handler.onResponseError?.(controller, timedOut());
        }
      });
    };
    return {
      onRequestStart(controller, context) {
        open.add(controller);
        if (state === 'dead') controller.abort(new Error('the process is dead'));
        else handler.onRequestStart?.(controller, context);
      },
      onResponseStart: (controller, status, headers, message) =>
        deliver(controller, () => handler.onResponseStart?.(controller, status, headers, message)),
      onResponseData: (controller, chunk) =>
        deliver(controller, () => handler.onResponseData?.(controller, chunk)),
      onResponseEnd(controller, trailers) {
        open.delete(controller);
        deliver(controller, () => handler.onResponseEnd?.(controller, trailers));
      },
      onResponseError(controller, error) {
        open.delete(controller);
        deliver(controller, () => handler.onResponseError?.(controller, error));
      },
    };
  };
  /** The request goes out, and its answer is not heard of. */
  const deaf = (
    handler: Handler,
    atEnd: (controller: Dispatcher.DispatchController) => void,
  ): Handler => ({
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart: () => undefined,
    onResponseData: () => undefined,
    onResponseEnd: (controller) => {
      open.delete(controller);
      atEnd(controller);
    },
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  });

  const intercept: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    if (state === 'dead') return true;
    const name = nameOf(options);
    const madeAt = clock.now();
    const isCloud = !/^\/apis?\//u.test(options.path);
    if (name !== undefined) spy(options.path, options.body);
    const send = (): void => {
      const ear = heard(isCloud ? withDate(handler, () => wrongDates.shift() ?? 0) : handler);
      const isLate = isCloud && name !== undefined && clock.now() - madeAt > sentWithinMs;
      if (isLate) return failed(handler);
      const harm = name === undefined ? undefined : trapFor(isCloud, name);
      if (name !== undefined)
        changes.push({ name, path: options.path, isCloud, at: clock.now(), harm: harm?.kind });
      switch (harm?.kind) {
        case undefined:
        case 'wrongDate':
          dispatch(options, ear);
          return;
        case 'dieBefore':
          return kill();
        case 'dieUnanswered':
          dispatch(options, deaf(ear, kill));
          return;
        case 'dieAnswered':
          dispatch(options, {
            ...ear,
            onResponseEnd: (controller, trailers) => {
              ear.onResponseEnd?.(controller, trailers);
              kill();
            },
          });
          return;
        case 'freezeBefore':
          freeze(harm.forMs);
          held.push(send);
          return;
        case 'freezeAnswered':
          dispatch(options, {
            ...ear,
            onResponseStart(controller, status, headers, message) {
              freeze(harm.forMs);
              ear.onResponseStart?.(controller, status, headers, message);
            },
          });
          return;
        case 'refused':
          if (isCloud) dispatch(options, ear);
          else void syntheticReply(ear, refusals[harm.refusal]);
          return;
        case 'notSent':
          return failed(handler);
        case 'answerLost':
          dispatch(
            options,
            deaf(ear, (controller) => ear.onResponseError?.(controller, timedOut())),
          );
          return;
      }
    };
    inOrder(send);
    return true;
  };
  return {
    intercept,
    changes,
    get state() {
      return state;
    },
    onFrozen: (listener) => void frozenListeners.push(listener),
    onDied: (listener) => void diedListeners.push(listener),
    set(trap) {
      const { harm, times } = trap;
      if (harm.kind === 'wrongDate') wrongDates = Array.from({ length: times }, () => harm.byMs);
      else traps.push({ ...trap, passed: 0 });
    },
    disarm() {
      traps = [];
      wrongDates = [];
    },
    kill,
    freeze,
    thaw() {
      if (state !== 'frozen') return;
      state = 'running';
      const waiting = held;
      held = [];
      for (const act of waiting) inOrder(act);
    },
  };
}

function withDate(handler: Handler, byMs: () => number): Handler {
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart(controller, status, headers, message) {
      const wrong = byMs();
      const date = new Date(Date.parse(String(headers['date'])) + wrong).toUTCString();
      handler.onResponseStart?.(
        controller,
        status,
        wrong === 0 ? headers : { ...headers, date },
        message,
      );
    },
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}

/** Nothing of it has left the process. */
function failed(handler: Handler): void {
  handler.onResponseError?.(
    standIn(),
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  );
}

function timedOut(): Error {
  return Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
}

function isCreate(name: string): boolean {
  return /^POST (?:vpcs|services|services\/\*\/(?:replicaSets|forkService))$/u.test(name);
}
