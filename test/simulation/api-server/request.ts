import { isObject, type Json, type JsonObject, parsedJson } from './json.ts';
import { type Kind, kinds } from './kinds.ts';
import { Refusal } from './refusal.ts';
import { type Attempted, isAllowed } from './rights.ts';

/** A request to the API server, as it goes over the wire. */
export interface KubernetesRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly body?: string;
  /** The user name of the token, for example system:serviceaccount:managed-db-operator:managed-db-operator, or admin. */
  readonly user: string;
}

/** The place that a request names. */
export interface Target {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  /** Undefined: all objects. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
}

/** @throws {Refusal} `NotFound` for a place that the server does not have */
export function targetOf(path: string): Target {
  const [place = '', query] = path.split('?');
  const [root = '', ...rest] = place.split('/').slice(1).map(decodeURIComponent);
  const isCore = root === 'api';
  const group = isCore ? '' : (rest.shift() ?? '');
  const version = rest.shift() ?? '';
  const apiVersion = isCore ? version : `${group}/${version}`;
  let namespace: string | undefined;
  if (rest[0] === 'namespaces' && rest.length > 2) [, namespace] = rest.splice(0, 2);
  const [plural, name, subresource, ...more] = rest;
  const kind = kinds.find((each) => each.apiVersion === apiVersion && each.plural === plural);
  const hasPlace =
    more.length === 0 &&
    (subresource === undefined || (subresource === 'status' && kind?.isCustom === true)) &&
    (kind?.isNamespaced === true || namespace === undefined) &&
    (kind?.isNamespaced === false || namespace !== undefined || name === undefined);
  if (!kind || !hasPlace)
    throw new Refusal('NotFound', 'the server could not find the requested resource');
  return { kind, namespace, name, subresource, query: new URLSearchParams(query) };
}

/** @throws {Refusal} `Forbidden` if the user has no right to the request */
export function authorize({ method, user }: KubernetesRequest, target: Target): void {
  const { kind, name, subresource } = target;
  // The rights to a namespace count in this namespace.
  const namespace = kind.plural === 'namespaces' ? name : target.namespace;
  const attempted: Attempted = {
    verb: verbOf(method, target),
    group: kind.group,
    resource: subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`,
    namespace,
    name,
  };
  if (isAllowed(user, attempted)) return;
  const resource = kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
  const about = name === undefined ? resource : `${resource} "${name}"`;
  const where =
    namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  throw new Refusal(
    'Forbidden',
    `${about} is forbidden: User "${user}" cannot ${attempted.verb} resource "${attempted.resource}" in API group "${kind.group}" ${where}`,
    { name: name ?? '', group: kind.group, kind: kind.plural },
  );
}

function verbOf(method: string, { name, query }: Target): string {
  switch (method) {
    case 'GET':
      if (query.get('watch') === 'true') return 'watch';
      return name === undefined ? 'list' : 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === undefined ? 'deletecollection' : 'delete';
    default:
      return method.toLowerCase();
  }
}

/** The body as JSON. @throws {Refusal} `BadRequest` for a body that is no JSON */
export function bodyOf({ body = '' }: KubernetesRequest): Json {
  const parsed = parsedJson(body);
  if (parsed === undefined) throw new Refusal('BadRequest', 'the body of the request is no JSON');
  return parsed;
}

/** The body as an object of JSON. @throws {Refusal} `BadRequest` for another body */
export function objectIn(request: KubernetesRequest): JsonObject {
  const body = bodyOf(request);
  if (!isObject(body)) throw new Refusal('BadRequest', 'the body of the request is no object');
  return body;
}
