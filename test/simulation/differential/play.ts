import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { at, isList, isObject, type Json, type JsonObject, textAt } from '../api-server/json.ts';
import { type Answer, type Call, memory, type Opened, type Server } from './servers.ts';
import { differences, isListReply, isReminder, shown, shownLine, Symbols } from './shown.ts';
import {
  applyPatch,
  type CallStep,
  described,
  type Plural,
  type Step,
  types,
  type WatchStep,
} from './step.ts';
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

/** The real server is at rest within a second, and later on a loaded machine. */
const longestMs = 30_000;

/** An object in a namespace: its plural, its name, and whether its deletion began. */
type Left = readonly [Plural, string, boolean];

/** The servers did not come to rest in time, so they were not compared. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** How the namespace of a sequence ends: it stays, an object holds it, or it disappears. */
export type Ending = 'none' | 'held' | 'gone';

/** The ending of a seed. The namespace controller of a real server needs ten seconds for a namespace to disappear. */
export function endingOf(seed: number): Ending {
  if (seed % 20 === 0) return 'gone';
  return seed % 5 === 0 ? 'held' : 'none';
}

/** A page of a list on both servers whose next pages are not read yet. */
interface Unread {
  readonly call: Call;
  readonly real: Answer;
  readonly memory: Answer;
}

interface OpenWatch {
  readonly step: WatchStep;
  readonly real: Opened;
  readonly memory: Opened;
}

/**
 * Runs a sequence on both servers in a new namespace, and returns the first difference.
 * @throws {TimedOut} if a server does not come to rest
 */
export async function play(
  real: Server,
  steps: readonly Step[],
  ending: Ending,
): Promise<{ readonly calls: number; readonly difference: Difference | undefined }> {
  const game = new Game(real);
  let calls = 0;
  try {
    const atBegin = await game.begin();
    if (atBegin !== undefined) return { calls, difference: { index: 0, text: atBegin } };
    for (const [index, step] of steps.entries()) {
      calls += 1;
      const text = await (step.type === 'call' ? game.call(step) : game.watch(step));
      if (text !== undefined)
        return { calls, difference: { index, text: `${described(step)}\n  ${text}` } };
    }
    const text =
      (await game.lastPages()) ?? (await game.watched()) ?? (await game.endNamespace(ending));
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
  /** The namespace controller of the real server empties the kinds of an ending namespace in any order. */
  #isEnding = false;
  readonly #objects = new Map<string, Version[]>();
  readonly #lists = new Map<Plural, Version[]>();
  readonly #unread = new Map<Plural, Unread>();
  readonly #watches: OpenWatch[] = [];

  constructor(real: Server) {
    this.#real = real;
  }

  /** Makes the namespace and its tenant. Returns the difference. */
  async begin(): Promise<string | undefined> {
    const namespace = { metadata: { name: this.#namespace } };
    const post: Call = { method: 'POST', path: '/api/v1/namespaces', user: 'admin' };
    const get: Call = { method: 'GET', path: this.#home(), user: 'operator' };
    const different = (await this.#both(post, namespace)) ?? (await this.#both(get));
    if (different !== undefined) return `the new namespace: ${different}`;
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'tenant' }];
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${this.#namespace}/rolebindings`;
    const body = JSON.stringify({ metadata: { name: 'tenant' }, roleRef, subjects });
    await this.#real.call({ method: 'POST', path, user: 'admin', body });
    const asked: Call = { method: 'GET', path: this.#path('managedvpcs'), user: 'tenant' };
    await inTime(
      'the tenant to have the role edit',
      async () => (await this.#real.call(asked)).status === 200,
    );
    return undefined;
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
    const late = method === 'GET' && !isNamed ? await this.#rest(plural) : undefined;
    if (late !== undefined) return `the pages of an earlier list: ${late}`;
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
    if (method !== 'GET' || name !== undefined) return undefined;
    this.#unread.set(plural, { call, real, memory: other });
    return step.rest === 'later' ? undefined : this.#rest(plural);
  }

  /** Reads the pages of all lists that are still unread. Returns the difference. */
  async lastPages(): Promise<string | undefined> {
    for (const plural of this.#unread.keys()) {
      const different = await this.#rest(plural);
      if (different !== undefined) return `the last pages of ${plural}: ${different}`;
    }
    return undefined;
  }

  async #rest(plural: Plural): Promise<string | undefined> {
    const unread = this.#unread.get(plural);
    this.#unread.delete(plural);
    return unread && this.#nextPages(unread.call, unread.real, unread.memory);
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
    const { plural, user, query, accept, from, isClusterWide } = step;
    const list = this.#lists.get(plural)?.at(from === 'first list' ? 0 : -1);
    const isPresent = from === 'present' || (from !== 'forgotten' && !list);
    const place = isClusterWide ? `${types[plural].root}/${plural}` : this.#path(plural);
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
      return { method: 'GET', path: `${place}?${search}`, user, accept };
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
      await inTime(`the first lines of ${described(step)}`, () =>
        opened.real.lines.some((line) =>
          ['ERROR', 'BOOKMARK'].includes(textAt(line, 'type') ?? ''),
        ),
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
      await inTime(
        `the last object in ${described(step)}`,
        () => real.isEnded() || real.lines.some((line) => this.#isAboutLast(line)),
      );
      const [one, two] = [real, other].map(({ lines }) =>
        lines.filter((line) => !isReminder(line) && this.#isOurs(line)),
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

  /** Deletes the namespace while an object holds it, and compares its content, and its end. */
  async endNamespace(ending: Ending): Promise<string | undefined> {
    if (ending === 'none') return undefined;
    const holder = { ...last.secrets, metadata: { name: 'holder', finalizers: ['x/y'] } };
    const secrets: Call = { method: 'POST', path: this.#path('secrets'), user: 'admin' };
    const different =
      (await this.#both(secrets, complete(holder, 'secrets', this.#namespace))) ??
      (await this.#both({ method: 'DELETE', path: this.#home(), user: 'admin' }, {})) ??
      (await this.#both(
        { ...secrets, user: 'operator' },
        complete({ metadata: { name: 'late' } }, 'secrets', this.#namespace),
      ));
    if (different !== undefined) return `the end of the namespace: ${different}`;
    this.#isEnding = true;
    this.#memory.api.sweepNamespaces();
    const expected = await this.#left(this.#memory);
    await inTime(
      `the namespace to have only ${JSON.stringify(expected)}`,
      async () => differences(await this.#left(this.#real), expected).length === 0,
    );
    return ending === 'gone' ? this.#release(expected) : undefined;
  }

  /** Removes the finalizers of all objects, and waits until the namespace is gone. */
  async #release(left: readonly Left[]): Promise<string | undefined> {
    // A protected object holds its namespace for ever.
    if (left.some(([, , isInDeletion]) => !isInDeletion)) return undefined;
    for (const [plural, name] of left) {
      const path = `${this.#path(plural, name)}?fieldManager=kubectl-patch`;
      const contentType = 'application/merge-patch+json';
      const patch: Call = { method: 'PATCH', path, user: 'admin', contentType };
      const different = await this.#both(patch, { metadata: { finalizers: null } });
      if (different !== undefined) return `the release of ${plural} ${name}: ${different}`;
    }
    this.#memory.api.sweepNamespaces();
    const get: Call = { method: 'GET', path: this.#home(), user: 'operator' };
    const { status } = await this.#memory.call(get);
    await inTime(
      `the namespace to answer ${status}`,
      async () => (await this.#real.call(get)).status === status,
    );
    // A namespace that stays gets conditions from the real controller alone.
    return status === 404 ? this.#both(get) : undefined;
  }

  /** The names of the objects in the namespace, and whether their deletion began. */
  async #left(server: Server): Promise<readonly Left[]> {
    const plurals = ['managedvpcs', 'managedservices', 'readreplicasets', 'secrets'] as const;
    const lists = plurals.map(async (plural) => {
      const call: Call = { method: 'GET', path: this.#path(plural), user: 'admin' };
      const items = at((await server.call(call)).body, 'items');
      return (isList(items) ? items : []).map((item): Left => [
        plural,
        textAt(item, 'metadata', 'name') ?? '',
        at(item, 'metadata', 'deletionTimestamp') !== undefined,
      ]);
    });
    return (await Promise.all(lists)).flat();
  }

  async #both(call: Call, body?: JsonObject): Promise<string | undefined> {
    const sent = body ? { ...call, body: JSON.stringify(body) } : call;
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
    if (this.#isEnding) return undefined;
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
    if (isListReply(real)) {
      const lists = this.#lists.get(step.plural) ?? [];
      this.#lists.set(step.plural, [...lists, { real, memory: other }]);
    }
    const isWhole = real['kind'] === types[step.plural].kind && step.query['dryRun'] === undefined;
    if (!isWhole || step.name === undefined) return;
    const key = `${step.plural}/${step.name}`;
    this.#objects.set(key, [...(this.#objects.get(key) ?? []), { real, memory: other }]);
  }

  #home(): string {
    return `/api/v1/namespaces/${this.#namespace}`;
  }

  /** A watch of all namespaces shows the objects of other tests, too. */
  #isOurs(line: Json): boolean {
    const namespace = textAt(line, 'object', 'metadata', 'namespace');
    return namespace === undefined || namespace === this.#namespace;
  }

  #isAboutLast(line: Json): boolean {
    return this.#isOurs(line) && textAt(line, 'object', 'metadata', 'name') === 'last';
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

/** @throws {TimedOut} */
async function inTime(condition: string, look: () => Promise<boolean> | boolean): Promise<void> {
  const endAt = performance.now() + longestMs;
  while (!(await look())) {
    if (performance.now() > endAt) throw new TimedOut(`waited for ${condition}`);
    await setTimeout(50);
  }
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
  if (step.contentType === applyPatch)
    return complete(
      { ...body, metadata: { name, ...asObject(body['metadata']) } },
      plural,
      namespace,
    );
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
  const involvedObject = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'a', uid: 'u' };
  const about = plural === 'events' ? { involvedObject } : {};
  return { apiVersion, kind, ...body, ...about };
}
