import { completeEndpoint, type CompleteEndpoint } from '../../cloud/wire/endpoint.ts';
import type { Connection } from '../step/connection.ts';

interface WithEndpoint {
  readonly endpoint?: unknown;
}

interface WithEndpoints extends WithEndpoint {
  readonly connectionPooler?: WithEndpoint | undefined;
  readonly vpcEndpoint?: unknown;
}

/** The addresses for the connection Secret in the resource as status shows it. Pure. */
export function endpointsIn(
  mirror: WithEndpoints | undefined,
): Pick<Connection, 'direct' | 'pooler' | 'vpc'> {
  return {
    direct: completeEndpoint(mirror?.endpoint),
    pooler: completeEndpoint(mirror?.connectionPooler?.endpoint),
    vpc: completeEndpoint(mirror?.vpcEndpoint),
  };
}

/** True if the resource in status has a connection pooler. A resource without a pooler shows nothing about it. Pure. */
export function showsPooler({ connectionPooler }: WithEndpoints): true | undefined {
  return connectionPooler?.endpoint === undefined ? undefined : true;
}

interface WithPooler {
  readonly connectionPooler?: { readonly enabled: boolean } | undefined;
}

/** The last status as far as it completes a reply: a connection pooler that the spec disables does not stay. Pure. */
export function lasting<M extends { readonly connectionPooler?: unknown }>(
  before: M | undefined,
  { connectionPooler }: WithPooler,
): M | undefined {
  return connectionPooler?.enabled === false
    ? before && { ...before, connectionPooler: undefined }
    : before;
}

/** The address in a reply. If the reply has no complete address, the address in the last status counts. Pure. */
export function keptEndpoint(
  shown: WithEndpoint,
  before: WithEndpoint | undefined,
): CompleteEndpoint | undefined {
  return completeEndpoint(shown.endpoint) ?? completeEndpoint(before?.endpoint);
}

/**
 * The connection pooler in a reply, which is present while it is enabled, with the address that is known. A pooler
 * without the field for its address counts as enabled only if the last status has the address. Pure.
 */
export function keptPooler(
  shown: WithEndpoint | undefined,
  before: WithEndpoint | undefined,
): WithEndpoint | undefined {
  const kept = shown && keptEndpoint(shown, before);
  if (kept) return { endpoint: kept };
  return shown?.endpoint === undefined ? shown : { endpoint: {} };
}

/** A value of the cloud with its names as status has them, at every depth: `region_code` becomes `regionCode`. Pure. */
export function camelCased(value: object): Readonly<Record<string, unknown>> {
  const below = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(below);
    return isObject(each) ? camelCased(each) : each;
  };
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, each]) => [
      name.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase()),
      below(each),
    ]),
  );
}

/**
 * A reply in the form of status. Missing parts are taken from before, at every depth: `metadata: {}` removes no
 * protection, and an empty size requests no resize. Pure.
 * @param before the last status of the same resource, without the parts whose absence has a meaning, such as a
 * pooler
 */
export function inStatus(reply: object, before: object): unknown {
  return withMissingFrom(camelCased(reply), before);
}

function withMissingFrom(seen: unknown, before: unknown): unknown {
  if (seen === undefined) return before;
  if (Array.isArray(seen) && Array.isArray(before))
    return seen.length === 0
      ? before
      : seen.map((item: unknown, index) => withMissingFrom(item, before[index]));
  if (!isObject(seen) || !isObject(before)) return seen;
  const [now, then] = [
    new Map<string, unknown>(Object.entries(seen)),
    new Map<string, unknown>(Object.entries(before)),
  ];
  return Object.fromEntries(
    [...then.keys(), ...now.keys()].map((name) => [
      name,
      withMissingFrom(now.get(name), then.get(name)),
    ]),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
