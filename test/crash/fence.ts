import type { Dispatcher } from 'undici';
import type { World } from '../support/world.ts';

/**
 * How a plan harms a single mutating call:
 *
 * | type | effect |
 * |---|---|
 * | `beforeSent` | the process dies before the request is written |
 * | `replyLost` | the request is carried out; the process dies before it hears of it |
 * | `afterReply` | the process dies when it has the reply, before it does anything with it |
 * | `answerLost` | the request is carried out, the connection breaks before the reply; the process lives |
 */
export type Harm = 'beforeSent' | 'replyLost' | 'afterReply' | 'answerLost';

export interface Plan {
  /** Which call, as `nameOf` gives it. */
  readonly call: string;
  readonly harm: Harm;
}

/** All requests of an operator pass through its fence. After a crash, none of that operator's requests ever settles. */
export interface Fence {
  readonly intercept: Dispatcher.DispatcherComposeInterceptor;
  /** Mutating calls in the order in which they were made, each with how often it was made so far: `POST services #1`. */
  readonly calls: readonly string[];
  /** The harm was done. */
  readonly isHarmed: boolean;
  readonly isDead: boolean;
  readonly died: Promise<void>;
}

type Handler = Dispatcher.DispatchHandler;
type Controller = Dispatcher.DispatchController;

const nothing = () => undefined;

export function fence(plan?: Plan): Fence {
  const counts = new Map<string, number>();
  const calls: string[] = [];
  const inFlight = new Set<Controller>();
  const state = { isDead: false, isHarmed: false };
  const { promise: died, resolve: tellDeath } = Promise.withResolvers<void>();

  const die = () => {
    state.isDead = true;
    state.isHarmed = true;
    for (const controller of inFlight) controller.abort(new Error('the process is dead'));
    inFlight.clear();
    tellDeath();
  };
  const whileAlive = (handler: Handler): Handler => ({
    onRequestStart(controller, context) {
      inFlight.add(controller);
      if (state.isDead) controller.abort(new Error('the process is dead'));
      else handler.onRequestStart?.(controller, context);
    },
    onResponseStart(controller, status, headers, message) {
      if (!state.isDead) handler.onResponseStart?.(controller, status, headers, message);
    },
    onResponseData(controller, chunk) {
      if (!state.isDead) handler.onResponseData?.(controller, chunk);
    },
    onResponseEnd(controller, trailers) {
      inFlight.delete(controller);
      if (!state.isDead) handler.onResponseEnd?.(controller, trailers);
    },
    onResponseError(controller, error) {
      inFlight.delete(controller);
      if (!state.isDead) handler.onResponseError?.(controller, error);
    },
  });
  /** Sends the request, but drops the reply. */
  const deaf = (handler: Handler, atEnd: (controller: Controller) => void): Handler => ({
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart: nothing,
    onResponseData: nothing,
    onResponseEnd: atEnd,
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  });
  const intercept: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    if (state.isDead) return true;
    const guarded = whileAlive(handler);
    const name = nameOf(options);
    if (name === undefined) return dispatch(options, guarded);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const call = `${name} #${count}`;
    calls.push(call);
    if (plan?.call !== call || state.isHarmed) return dispatch(options, guarded);
    switch (plan.harm) {
      case 'beforeSent':
        die();
        return true;
      case 'replyLost':
        return dispatch(options, deaf(guarded, die));
      case 'afterReply':
        return dispatch(options, {
          ...guarded,
          onResponseEnd(controller, trailers) {
            guarded.onResponseEnd?.(controller, trailers);
            die();
          },
        });
      case 'answerLost':
        return dispatch(
          options,
          deaf(guarded, (controller) => {
            state.isHarmed = true;
            guarded.onResponseError?.(
              controller,
              Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
            );
          }),
        );
    }
  };
  return {
    intercept,
    calls,
    died,
    get isHarmed() {
      return state.isHarmed;
    },
    get isDead() {
      return state.isDead;
    },
  };
}

/** Starts an operator that the plan harms at a single call. */
export async function operatorThatDies(world: World, plan: Plan): Promise<Fence> {
  const made = fence(plan);
  await world.startedOperator({ intercept: made.intercept, isDead: () => made.isDead });
  return made;
}

/** `POST services`, `PATCH managedservices/orders/status`: the same in each run. Undefined for reads and for events, which nothing depends on. */
export function nameOf({ method, path, body }: Dispatcher.DispatchOptions): string | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined;
  const segments = path.replace(/\?.*$/u, '').split('/').slice(1);
  const isKubernetes = segments[0] === 'api' || segments[0] === 'apis';
  if (isKubernetes) {
    const [, resource = '', ...rest] = segments.slice(segments.indexOf('namespaces'));
    const [plural = '', ...names] = rest;
    if (plural === 'events' || resource === '') return undefined;
    // The name of a ledger entry ends in the uid of the object.
    const place = [plural, ...(names.length > 0 ? names : [nameIn(body)])].join('/');
    return `${method} ${place.replace(/(?<=secrets\/(?:managedservice|managedvpc|replicaset)-).*/u, '*')}`;
  }
  // projects/{id}/kind/{id}/kind/{id} or verb: ids differ from run to run.
  return `${method} ${segments
    .slice(2)
    .map((segment, index) => (index % 2 === 1 ? '*' : segment))
    .join('/')}`;
}

/** A cloud call, which alone may double something there. */
export function isCloudCall(call: string): boolean {
  return /^\w+ (?:vpcs|services)\b/u.test(call);
}

function nameIn(body: unknown): string {
  if (typeof body !== 'string') return '';
  return /"name":"([^"]+)"/u.exec(body)?.[1] ?? '';
}
