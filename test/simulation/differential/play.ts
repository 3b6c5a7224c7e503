import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import { at, isList, isObject, type Json, type JsonObject, textAt } from '../api-server/json.ts';
import { type Answer, type Call, memory, type Opened, type Server } from './servers.ts';
import { differences, isListReply, isReminder, shown, shownLine, Symbols } from './shown.ts';
import { type CallStep, described, type Plural, type Step, types, type WatchStep } from './step.ts';
import { Versions } from './versions.ts';

/** The first difference between the servers in a sequence. */
export interface Difference {
  /** The index of the step; the number of steps if the difference is in the lines of a watch. */
  readonly index: number;
  readonly text: string;
}

/** A version of an object, as both servers returned it. */
interface Version {
  readonly real: JsonObject;
  readonly memory: JsonObject;
}

/** The namespace controller works within a second, and later on a loaded machine. */
const longestEndMs = 20_000;

interface OpenWatch {
  readonly step: WatchStep;
  readonly real: Opened;
  readonly memory: Opened;
}

/**
 * Runs a sequence on both servers in a new namespace, and returns the first difference.
 * @param endsNamespace whether an admin deletes the namespace after the last step
 */
export async function play(
  real: Server,
  steps: readonly Step[],
  endsNamespace: boolean,
): Promise<{ readonly calls: number; readonly difference: Difference | undefined }> {
  const game = new Game(real);
  let calls = 0;
  try {
    await game.begin();
    for (const [index, step] of steps.entries()) {
      calls += 1;
      const text = await (step.type === 'call' ? game.call(step) : game.watch(step));
      if (text !== undefined)
        return { calls, difference: { index, text: `${described(step)}\n  ${text}` } };
    }
    const text = (await game.watched()) ?? (endsNamespace ? await game.endNamespace() : undefined);
    return {
      calls,
      difference: text === undefined ? undefined : { index: steps.length, text },
    };
  } finally {
    game.end();
  }
}

class Game {
  readonly #namespace = `d-${randomBytes(5).toString('hex')}`;
  readonly #real: Server;
  readonly #memory = memory();
  readonly #symbols = { real: new Symbols(), memory: new Symbols() };
  readonly #versions = new Versions();
  readonly #objects = new Map<string, Version[]>();
  readonly #lists = new Map<Plural, Version>();
  readonly #watches: OpenWatch[] = [];

  constructor(real: Server) {
    this.#real = real;
  }

  async begin(): Promise<void> {
    const namespace = { metadata: { name: this.#namespace } };
    await this.#both({ method: 'POST', path: '/api/v1/namespaces', user: 'admin' }, namespace);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'tenant' }];
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${this.#namespace}/rolebindings`;
    const body = JSON.stringify({ metadata: { name: 'tenant' }, roleRef, subjects });
    await this.#real.call({ method: 'POST', path, user: 'admin', body });
    await until(
      'the tenant to have the role edit',
      async () => {
        const asked: Call = { method: 'GET', path: this.#path('managedvpcs'), user: 'tenant' };
        return (await this.#real.call(asked)).status === 200;
      },
      () => Promise.resolve(this.#namespace),
    );
  }

  end(): void {
    for (const { real, memory: other } of this.#watches) {
      real.close();
      other.close();
    }
  }

  /** Carries out a call on both servers. Returns the difference. */
  async call(step: CallStep): Promise<string | undefined> {
    const { method, plural, name, subresource, query, user, accept, contentType } = step;
    const isNamed = method !== 'POST' && name !== undefined;
    const target = `${this.#path(plural, isNamed ? name : undefined)}${subresource ? `/${subresource}` : ''}`;
    const path = `${target}?${new URLSearchParams(query).toString()}`;
    const call = { method, path, user, accept, ...(contentType ? { contentType } : {}) };
    const base = this.#seen(step);
    const [real, other] = await Promise.all(
      (['real', 'memory'] as const).map(async (side) => {
        const body = bodyOf(step, this.#namespace, base?.[side]);
        const server = side === 'real' ? this.#real : this.#memory;
        return server.call({ ...call, ...(body ? { body: JSON.stringify(body) } : {}) });
      }),
    );
    if (!real || !other) return 'a server gave no answer';
    const different = this.#compared(real, other);
    if (different !== undefined) return different;
    this.#remember(step, real.body, other.body);
    if (method === 'GET' && name === undefined) return this.#nextPages(call, real, other);
    return undefined;
  }

  /** Reads the other pages of a list. */
  async #nextPages(call: Call, real: Answer, other: Answer): Promise<string | undefined> {
    const [page, otherPage] = [real, other].map(({ body }) => textAt(body, 'metadata', 'continue'));
    if (page === undefined || page === '' || otherPage === undefined) return undefined;
    const next = (token: string): Call => ({
      ...call,
      path: `${call.path}&continue=${encodeURIComponent(token)}`,
    });
    const answers = [
      await this.#real.call(next(page)),
      await this.#memory.call(next(otherPage)),
    ] as const;
    return this.#compared(...answers) ?? this.#nextPages(call, ...answers);
  }

  /** Opens a watch on both servers, and waits until its begin is past. */
  async watch(step: WatchStep): Promise<string | undefined> {
    const { plural, user, query, accept, from } = step;
    const list = this.#lists.get(plural);
    const isPresent = from === 'present' || (from === 'list' && !list);
    const callOn = (side: 'real' | 'memory'): Call => {
      const begin = isPresent
        ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
        : {
            resourceVersion:
              from === 'forgotten'
                ? '1'
                : (textAt(list?.[side], 'metadata', 'resourceVersion') ?? ''),
          };
      const all = { watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: '300' };
      const search = new URLSearchParams({ ...all, ...query, ...begin }).toString();
      return { method: 'GET', path: `${this.#path(plural)}?${search}`, user, accept };
    };
    const opened = {
      step,
      real: await this.#real.watch(callOn('real')),
      memory: await this.#memory.watch(callOn('memory')),
    };
    if (opened.real.status !== opened.memory.status)
      return `status: real ${opened.real.status}, memory ${opened.memory.status}`;
    if (opened.real.status !== 200) return undefined;
    this.#watches.push(opened);
    if (isPresent || from === 'forgotten')
      await until(
        `the first lines of ${described(step)}`,
        () =>
          Promise.resolve(
            opened.real.lines.some((line) =>
              ['ERROR', 'BOOKMARK'].includes(textAt(line, 'type') ?? ''),
            ),
          ),
        () => Promise.resolve(opened.real.lines),
      );
    return undefined;
  }

  /** Waits until the watches show a last object, and compares all lines. */
  async watched(): Promise<string | undefined> {
    for (const plural of new Set(this.#watches.map(({ step }) => step.plural))) {
      const body = { ...last[plural], metadata: { name: 'last', labels: { a: '1', b: '1' } } };
      const call: Call = { method: 'POST', path: this.#path(plural), user: 'admin' };
      const different = await this.#both(call, complete(body, plural, this.#namespace));
      if (different !== undefined) return `the last object: ${different}`;
    }
    for (const { step, real, memory: other } of this.#watches) {
      const isComplete = () => real.isEnded() || real.lines.some(isAboutLast);
      await until(
        `the last object in ${described(step)}`,
        () => Promise.resolve(isComplete()),
        () => Promise.resolve(real.lines),
      );
      const [one, two] = [real, other].map(({ lines }) =>
        lines.filter((line) => !isReminder(line)),
      );
      const different = differences(
        one?.map((line) => shownLine(line, this.#symbols.real)),
        two?.map((line) => shownLine(line, this.#symbols.memory)),
      );
      if (different.length > 0)
        return `the lines of ${described(step)}\n  ${different.slice(0, 8).join('\n  ')}`;
      if (real.isEnded() !== other.isEnded()) return `the end of ${described(step)}`;
    }
    return undefined;
  }

  /** Deletes the namespace while an object holds it, and compares its content at the end. */
  async endNamespace(): Promise<string | undefined> {
    const holder = { ...last.secrets, metadata: { name: 'holder', finalizers: ['x/y'] } };
    const secrets: Call = { method: 'POST', path: this.#path('secrets'), user: 'admin' };
    const path = `/api/v1/namespaces/${this.#namespace}`;
    const different =
      (await this.#both(secrets, complete(holder, 'secrets', this.#namespace))) ??
      (await this.#both({ method: 'DELETE', path, user: 'admin' }, {})) ??
      (await this.#both(
        { ...secrets, user: 'operator' },
        complete({ metadata: { name: 'late' } }, 'secrets', this.#namespace),
      ));
    if (different !== undefined) return `the end of the namespace: ${different}`;
    this.#memory.api.sweepNamespaces();
    const expected = await this.#left(this.#memory);
    const endAt = performance.now() + longestEndMs;
    let found = await this.#left(this.#real);
    while (differences(found, expected).length > 0 && performance.now() < endAt) {
      await setTimeout(100);
      found = await this.#left(this.#real);
    }
    const left = differences(found, expected);
    return left.length > 0 ? `the end of the namespace: ${left.join('\n  ')}` : undefined;
  }

  /** The names of the objects in the namespace, and whether their deletion began. */
  async #left(server: Server): Promise<Json> {
    const plurals = ['managedvpcs', 'managedservices', 'readreplicasets', 'secrets'] as const;
    const lists = plurals.map(async (plural) => {
      const call: Call = { method: 'GET', path: this.#path(plural), user: 'admin' };
      const items = at((await server.call(call)).body, 'items');
      return (isList(items) ? items : []).map((item) => [
        plural,
        textAt(item, 'metadata', 'name') ?? '',
        at(item, 'metadata', 'deletionTimestamp') !== undefined,
      ]);
    });
    return (await Promise.all(lists)).flat();
  }

  async #both(call: Call, body: JsonObject): Promise<string | undefined> {
    const sent = { ...call, body: JSON.stringify(body) };
    return this.#compared(await this.#real.call(sent), await this.#memory.call(sent));
  }

  #compared(real: Answer, other: Answer): string | undefined {
    const different = differences(
      { status: real.status, body: shown(real.body, this.#symbols.real) },
      { status: other.status, body: shown(other.body, this.#symbols.memory) },
    );
    if (different.length > 0) {
      const texts = [real, other].map(({ body }) => textAt(body, 'message') ?? '');
      return `${different.slice(0, 8).join('\n  ')}\n  messages: ${texts.join(' | ').slice(0, 600)}`;
    }
    const isOfList = isListReply(real.body);
    const [one, two] = [real, other].map(({ body }) => textAt(body, 'metadata', 'resourceVersion'));
    return one === undefined || two === undefined || one === ''
      ? undefined
      : this.#versions.add(one, two, isOfList);
  }

  #seen({ plural, name, seen }: CallStep): Version | undefined {
    if (!seen) return undefined;
    const versions = this.#objects.get(`${plural}/${name ?? ''}`) ?? [];
    return versions.at(-1 - seen.age) ?? versions.at(0);
  }

  #remember(step: CallStep, real: Json | undefined, other: Json | undefined): void {
    if (!isObject(real) || !isObject(other)) return;
    if (isListReply(real)) this.#lists.set(step.plural, { real, memory: other });
    const isWhole = real['kind'] === types[step.plural].kind && step.query['dryRun'] === undefined;
    if (!isWhole || step.name === undefined) return;
    const key = `${step.plural}/${step.name}`;
    this.#objects.set(key, [...(this.#objects.get(key) ?? []), { real, memory: other }]);
  }

  #path(plural: Plural, name?: string): string {
    const place = `${types[plural].root}/namespaces/${this.#namespace}/${plural}`;
    return name === undefined ? place : `${place}/${name}`;
  }
}

const sized = { cpuMillis: 1000, memoryGbs: 4 };
/** A valid object of each kind. */
const last: Readonly<Record<Plural, JsonObject>> = {
  managedvpcs: { spec: { cidr: '10.0.0.0/16', regionCode: 'eu-central-1' } },
  managedservices: { spec: sized },
  readreplicasets: { spec: { ...sized, nodes: 1, serviceRef: { name: 'a' } } },
  secrets: {},
  events: { type: 'Normal', reason: 'Last', message: 'last' },
  leases: {},
};

function isAboutLast(line: Json): boolean {
  return textAt(line, 'object', 'metadata', 'name') === 'last';
}

/** The body of a step, with the parts of a version that the server returned earlier. */
function bodyOf(step: CallStep, namespace: string, base: JsonObject | undefined): Json | undefined {
  const { body, method, name, plural, seen } = step;
  if (!isObject(body)) return body;
  const metadata = at(base, 'metadata');
  const ofBase = isObject(metadata) ? metadata : {};
  const parts = seen?.parts ?? '';
  const lock = {
    ...(/uid|whole/u.test(parts) ? { uid: ofBase['uid'] } : {}),
    ...(/version|whole/u.test(parts) ? { resourceVersion: ofBase['resourceVersion'] } : {}),
  };
  if (method === 'DELETE') return base ? { ...body, preconditions: lock } : body;
  if (method === 'PATCH')
    return { ...body, metadata: { ...asObject(body['metadata']), ...(base ? lock : {}) } };
  const given = { name, ...asObject(body['metadata']), ...(base ? lock : {}) };
  const isWhole = parts === 'whole' && base !== undefined;
  return complete(
    isWhole
      ? { ...base, ...body, metadata: { ...ofBase, ...given, managedFields: undefined } }
      : { ...body, metadata: given },
    plural,
    namespace,
  );
}

function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** The body with its kind. An event names the namespace of its object, too. */
function complete(body: JsonObject, plural: Plural, namespace: string): JsonObject {
  const { root, kind } = types[plural];
  const apiVersion = root.replace(/^\/apis?\//u, '');
  const about = plural === 'events' ? { involvedObject: { kind: 'Secret', namespace } } : {};
  return { apiVersion, kind, ...body, ...about };
}
