import type { Dispatcher } from 'undici';
import { nameOf } from '../crash/fence.ts';
import type { KubernetesRequest, MemoryApiServer } from './api-server/api-server.ts';
import type { MemoryCloud } from './cloud.ts';
import { type PendingRequest, pendingRequest } from './pending-request.ts';
import type { SimulatedProcess } from './process.ts';
import { type Simulation, startOfTime } from './scheduler.ts';
import { connectionLost, noHeaders, notConnected } from './socket-error.ts';
import { stallMs, watchStream, type WatchStream } from './watch-stream.ts';
import { calm, type Harm, type RequestWeather, type Weather } from './weather.ts';

/** A changing request of an operator, except those for Leases and events. */
export interface Change {
  /** As `nameOf` gives it: the same in each run. */
  readonly name: string;
  readonly to: 'cloud' | 'kubernetes';
}

/** An operator process on the network. The weather and the harms are for members only. */
export interface Member {
  readonly process: SimulatedProcess;
  /** The user name at the API server. */
  readonly user: string;
  /** Asked for each change, when the process is about to send it. */
  readonly harmOf: (change: Change) => Harm | undefined;
  readonly die: () => void;
  readonly freeze: (forMs: number) => void;
}

/** A change that the cloud carried out, or refused. */
export interface CloudChange {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly body: string | undefined;
  /** Of the cloud. The caller may receive another status, or none. */
  readonly status: number;
  readonly reply: unknown;
}

export interface NetworkParts {
  readonly simulation: Simulation;
  readonly apiServer: MemoryApiServer;
  readonly cloud: MemoryCloud;
  readonly onCloudChange: (change: CloudChange) => void;
  /** @param path of a write that the API server carried out, without the query */
  readonly onKubernetesChange: (path: string, isOperators: boolean) => void;
}

/** The way between processes and servers. Sending, arrival and reply of each request are events, and each watch line. */
export interface Network {
  weather: Weather;
  /**
   * Until when a fault may hide a change of an object from the operators. A watch that fell silent ends with the stall
   * limit of its client. Then its reflector backs off. Infinite in bad weather.
   */
  readonly blindUntil: number;
  /** For an operator. */
  of(member: Member): Dispatcher.DispatcherComposeInterceptor;
  /** For people, who always have good weather. @param user their name at the API server */
  ofUser(user: string): Dispatcher.DispatcherComposeInterceptor;
  /** Harms all watches of operators. `expire`: the server has also forgotten the versions from which they continue. */
  harmWatches(how: 'break' | 'silence' | 'expire'): void;
}

/**
 * Real API servers send a bookmark about once a minute. The longest lag of a watch line, in addition, must not reach the
 * stall limit of the clients.
 */
const bookmarkMs = [30_000, 50_000] as const;
/** A real etcd forgets its history about every five minutes. */
const compactMs = [200_000, 400_000] as const;
/** How late the servers carry out a change in bad weather: beyond the deadlines of the clients. */
const latestMs = { cloud: 100_000, kubernetes: 4_500 };
const travelMs = { cloud: [5, 80], kubernetes: [0.3, 8] } as const;
const slowMs = { cloud: [500, 9_000], kubernetes: [200, 4_000] } as const;
/** The longest back-off of a reflector: `backOff` of src/runtime/reflector.ts, with its whole spread. */
const reflectorBackOffMs = 10_000;
/** The limit of undici for the head of a reply. */
const headersTimeoutMs = 30_000;

const gatewayPage: Answer = {
  status: 404,
  headers: { 'content-type': 'text/html' },
  text: '<html><body>404 Not Found</body></html>',
};

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A request of a client, while it is in flight. */
interface Call {
  readonly options: Dispatcher.DispatchOptions;
  /** Without the query. */
  readonly path: string;
  readonly to: 'cloud' | 'kubernetes';
  readonly isChange: boolean;
  readonly label: string;
  readonly user: string;
  readonly member: Member | undefined;
  readonly request: PendingRequest;
  readonly weather: RequestWeather;
  harm: Harm | undefined;
  stream: WatchStream | undefined;
}

export function network(parts: NetworkParts): Network {
  const { simulation, apiServer, cloud, onCloudChange, onKubernetesChange } = parts;
  const { chance } = simulation;
  const happens = (likelihood: number) => likelihood > 0 && chance() < likelihood;
  const between = ([least, most]: readonly [number, number]) => least + chance() * (most - least);
  const watches = new Set<Call>();
  let weather = calm;
  let blindUntil = startOfTime;
  const mayBeSilent = () => {
    blindUntil = simulation.now + stallMs + reflectorBackOffMs;
  };

  /** An event of the client's process. */
  const toClient = (call: Call, delayMs: number, what: string, act: () => void) =>
    simulation.after(delayMs, call.member?.process, `${what} ${call.label}`, () =>
      call.request.inContext(act),
    );
  /** An event of a server. */
  const onServer = (call: Call, delayMs: number, act: () => void) =>
    simulation.after(delayMs, undefined, `arrive ${call.label}`, act);

  const often = (delayMs: readonly [number, number], label: string, act: () => void): void =>
    void simulation.after(between(delayMs), undefined, label, () => {
      act();
      often(delayMs, label, act);
    });
  often(bookmarkMs, 'bookmarks', () => apiServer.sendBookmarks());
  often(compactMs, 'compaction', () => apiServer.compact());

  const start = (call: Call): void => {
    const { member, request, options } = call;
    if (request.isOver) return;
    const name = member && !call.path.includes('/leases') ? nameOf(options) : undefined;
    if (member && name !== undefined) call.harm = member.harmOf({ name, to: call.to });
    const { harm } = call;
    if (harm?.kind === 'dieBefore') return member?.die();
    if (harm?.kind === 'notSent') return request.fail(notConnected());
    if (harm?.kind !== 'freezeBefore') return go(call);
    member?.freeze(harm.forMs);
    toClient(call, 0, 'send', () => go(call));
  };
  const go = (call: Call): void => {
    if (!call.request.begin()) return;
    if (call.isChange) simulation.note(`body ${call.label} ${bodyOf(call.options) ?? ''}`);
    const { harm, to } = call;
    const travel = between(happens(call.weather.slow) ? slowMs[to] : travelMs[to]);
    if (harm?.kind === 'refused') return reply(call, travel, errorAnswer(harm.status));
    if (harm?.kind === 'gatewayPage' || happens(call.weather.gatewayPage))
      return reply(call, travel, gatewayPage);
    if (happens(call.weather.lost)) return lose(call, travel);
    if (happens(call.weather.errorBefore)) return reply(call, travel, errorAnswer(503));
    const lateMs = call.isChange && happens(call.weather.late) ? chance() * latestMs[to] : 0;
    onServer(call, travel + lateMs, () => (to === 'cloud' ? inCloud(call) : atApiServer(call)));
  };
  const lose = (call: Call, delayMs: number): void =>
    void toClient(call, delayMs, 'lost', () => call.request.fail(connectionLost()));
  const reply = (call: Call, delayMs: number, answer: Answer): void =>
    void toClient(call, delayMs, 'reply', () => deliver(call, answer));

  const deliver = (call: Call, { status, headers, text }: Answer): void => {
    const { member, request, harm } = call;
    if (request.isOver) return;
    if (harm?.kind === 'dieUnanswered') return member?.die();
    if (harm?.kind === 'freezeAnswered') {
      call.harm = undefined;
      member?.freeze(harm.forMs);
      return reply(call, 0, { status, headers, text });
    }
    request.head(status, headers);
    if (text !== '') request.data(text);
    request.end();
    if (harm?.kind === 'dieAnswered') member?.die();
  };
  /** The way back of an answer to a request that was carried out. */
  const back = (call: Call, answer: Answer): void => {
    const delayMs = between(travelMs[call.to]);
    if (happens(call.weather.unanswered))
      return void toClient(call, headersTimeoutMs, 'timeout', () => call.request.fail(noHeaders()));
    if (call.harm?.kind === 'answerLost' || happens(call.weather.replyLost))
      return lose(call, delayMs);
    if (call.harm?.kind === 'errorAfter')
      return reply(call, delayMs, errorAnswer(call.harm.status));
    if (happens(call.weather.errorAfter)) return reply(call, delayMs, errorAnswer(502));
    reply(call, delayMs, answer);
  };

  const inCloud = (call: Call): void => {
    const { options, path, isChange } = call;
    const body = bodyOf(options);
    const authorization = headerOf(options, 'authorization');
    void cloud.answer({ method: options.method, path, authorization, body }).then((answered) => {
      if (answered.type === 'dropped') return lose(call, between(travelMs.cloud));
      if (isChange) {
        const { status } = answered;
        simulation.note(`carried out ${call.label} ${status}`);
        onCloudChange({ method: options.method, path, body, status, reply: answered.body });
      }
      const isText = 'content-type' in answered.headers;
      const text = isText ? String(answered.body) : (JSON.stringify(answered.body) ?? '');
      const headers = { 'content-type': 'application/json', ...answered.headers };
      return back(call, { status: answered.status, headers, text });
    });
  };
  const atApiServer = (call: Call): void => {
    const { options, path, user, member, request } = call;
    const query = new URLSearchParams(options.query);
    const fromVersion = query.get('watch') === 'true' && query.has('resourceVersion');
    if (fromVersion && member && happens(weather.watchExpired)) apiServer.compact();
    const answered = apiServer.answer(kubernetesRequest(options, path, query, user));
    if (answered.type === 'reply') {
      if (call.isChange) {
        simulation.note(`carried out ${call.label} ${answered.status}`);
        if (answered.status < 300) onKubernetesChange(path, member !== undefined);
      }
      const headers = { 'content-type': 'application/json' };
      return back(call, { status: answered.status, headers, text: answered.body });
    }
    toClient(call, between(travelMs.kubernetes), 'open', () => {
      if (request.isOver) return;
      watches.add(call);
      call.stream = watchStream(answered, {
        simulation,
        process: member?.process,
        request,
        label: call.label,
        weather: () => (member ? weather : calm),
      });
    });
  };

  const intercept =
    (user: string, member?: Member): Dispatcher.DispatcherComposeInterceptor =>
    () =>
    (options, handler) => {
      if (member?.process.state === 'dead') return true;
      const [path = ''] = options.path.split('?');
      const to = /^\/apis?\//u.test(path) ? 'kubernetes' : 'cloud';
      const request = pendingRequest(handler, () => {
        watches.delete(call);
        call.stream?.close();
      });
      const call: Call = {
        options,
        path,
        to,
        isChange: options.method !== 'GET',
        label: `${to} ${options.method} ${path}`,
        user,
        member,
        request,
        weather: (member ? weather : calm)[to],
        harm: undefined,
        stream: undefined,
      };
      toClient(call, 0.01 + chance(), 'send', () => start(call));
      return true;
    };
  return {
    get weather() {
      return weather;
    },
    set weather(next) {
      if (weather !== calm) mayBeSilent();
      weather = next;
    },
    get blindUntil() {
      return weather === calm ? blindUntil : Number.POSITIVE_INFINITY;
    },
    of: (member) => intercept(member.user, member),
    ofUser: (user) => intercept(user),
    harmWatches(how) {
      if (how === 'silence') mayBeSilent();
      const harmed = [...watches].filter(({ member }) => member !== undefined);
      if (how === 'expire') apiServer.compact();
      for (const { stream } of harmed) {
        if (how === 'silence') stream?.silence();
        else stream?.break();
      }
    },
  };
}

function errorAnswer(status: number): Answer {
  const body = { kind: 'Status', code: status, message: 'an error of the weather' };
  return {
    status,
    headers: { 'content-type': 'application/json' },
    text: JSON.stringify(body),
  };
}

function bodyOf({ body }: Dispatcher.DispatchOptions): string | undefined {
  return typeof body === 'string' ? body : undefined;
}

/** Our clients give their headers as a record. */
function headerOf({ headers }: Dispatcher.DispatchOptions, name: string): string | undefined {
  const value = new Map<string, unknown>(Object.entries(headers ?? {})).get(name);
  return typeof value === 'string' ? value : undefined;
}

function kubernetesRequest(
  options: Dispatcher.DispatchOptions,
  path: string,
  query: URLSearchParams,
  user: string,
): KubernetesRequest {
  const [, inPath = ''] = options.path.split('?');
  const text = [inPath, query.toString()].filter((each) => each !== '').join('&');
  const body = bodyOf(options);
  const contentType = headerOf(options, 'content-type');
  const accept = headerOf(options, 'accept');
  return {
    method: options.method,
    path: text === '' ? path : `${path}?${text}`,
    user,
    ...(body === undefined ? {} : { body }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(accept === undefined ? {} : { accept }),
  };
}
