export type Json = unknown;

/** RFC 7386. Undefined in a patch changes nothing. Pure. */
export function mergePatched(before: Json, patch: Json): Json {
  if (!isRecord(patch)) return patch;
  const result: Record<string, Json> = isRecord(before) ? { ...before } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) delete result[name];
    else result[name] = mergePatched(result[name], value);
  }
  return result;
}

function isRecord(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
