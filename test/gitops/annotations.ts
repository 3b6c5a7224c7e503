import * as z from 'zod';
import type { World } from '../support/world.ts';

const annotated = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }),
});

/** All annotations of a service. The operator's own reads, as `world.service()`, leave out those of other tools. */
export async function annotationsOf(world: World, name: string): Promise<Record<string, string>> {
  const { stdout } = await world.kubectl(['get', 'managedservice', name, '-o', 'json']);
  return annotated.parse(JSON.parse(stdout)).metadata.annotations;
}
