import { fieldOf } from './fields.ts';
import { resourceIds, type Operation } from './wire/all.ts';

const idsBySchema: ReadonlyMap<string, { readonly parameter: string; readonly field: string }> = new Map(Object.entries(resourceIds));

/**
 * The wrong id in a successful reply: the field and the expected value. Undefined if the reply may be about the
 * resource of the request.
 *
 * | request | its reply has |
 * |---|---|
 * | reads a resource | the id in the path |
 * | creates a resource | an id, and not that of the resource in the path, such as the source of a fork |
 * | changes or deletes a resource | the id in the path, or no id |
 * | any other | no id that is known before |
 *
 * A reply about another resource proves neither that this resource is there, nor that it is gone.
 * @param ids the ids in the path
 */
export function wrongId(
  { path, effect, success: { body, isList } }: Operation,
  ids: readonly string[],
  reply: unknown,
): string | undefined {
  const where = body && idsBySchema.get(body);
  if (!where || isList) return undefined;
  const { field, parameter } = where;
  const asked = ids[parametersOf(path).indexOf(parameter)];
  const id = fieldOf(reply, field) ?? undefined;
  if (effect === 'create') return id === undefined || id === asked ? `${field}: expected the id of the new resource` : undefined;
  const isOther = effect === 'read' ? id !== asked : id !== undefined && id !== asked;
  return isOther ? `${field}: expected the id of the resource in the path` : undefined;
}

function parametersOf(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => name);
}
