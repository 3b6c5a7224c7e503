import * as z from 'zod';
import type { ResourceType } from '../../../src/runtime/index.ts';
import type { World } from '../../support/world.ts';

const eventType: ResourceType<unknown> = {
  group: '',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  parse: (value) => z.unknown().parse(value),
};

/** All events on the objects of a world. */
export async function events({ kubernetes, namespace }: World): Promise<readonly unknown[]> {
  return (await kubernetes.list(eventType, { namespace })).items;
}
