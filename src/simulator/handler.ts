import * as z from 'zod';
import { type PathIds, requests } from '../cloud/wire/all.ts';
import { environmentTags } from '../cloud/wire/endpoint.ts';
import { requireOffered } from './offers.ts';
import type { Project } from './project.ts';

/** The project of the key, the ids of the path, the parsed body, and the time that lists show. */
export interface Incoming<Body> {
  readonly project: Project;
  readonly ids: Readonly<Record<keyof PathIds, string>>;
  readonly body: Body;
  readonly listTime: number;
}

/** @returns the resource that the reply shows @throws {ApiError} @throws {z.ZodError} for an invalid body */
export type Handler = (incoming: Incoming<unknown>) => unknown;

/**
 * Bodies that the cloud accepts. Stricter than the client's schemas: a missing field, or a wrong type, causes a 400
 * that names the field.
 */

const name = z.string().min(1).max(128);
const region = z.string().min(1).max(64);
const cpu = z.string().regex(/^(?:shared|[1-9]\d{0,6})$/u, 'must be millicores as a string, or "shared"');
const memory = z.string().regex(/^(?:shared|[1-9]\d{0,4})$/u, 'must be gigabytes as a string, or "shared"');
const environment = z.enum(environmentTags);

const stricter = {
  CreateVpc: z.object({
    cidr: z.string().regex(/^\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2}$|^[0-9a-fA-F:]+\/\d{1,3}$/u, 'must be an address range such as 10.0.0.0/16'),
    name,
    region_code: region,
  }),
  RenameVpc: z.object({ name }),
  CreatePeering: z.object({ peer_account_id: name, peer_region_code: region, peer_vpc_id: name }),
  CreateService: z.object({
    name,
    addons: z.array(z.enum(['time-series', 'ai'])).optional(),
    cpu_millis: cpu.optional(),
    memory_gbs: memory.optional(),
    environment_tag: environment.optional(),
    region_code: region.optional(),
    replica_count: z.int().min(0).max(100).optional(),
  }),
  ForkService: z
    .object({
      fork_strategy: z.enum(['LAST_SNAPSHOT', 'NOW', 'PITR']),
      target_time: z.iso.datetime({ offset: true }).optional(),
      name: name.optional(),
      cpu_millis: cpu.optional(),
      memory_gbs: memory.optional(),
      environment_tag: environment.optional(),
    })
    .refine((body) => body.fork_strategy !== 'PITR' || body.target_time !== undefined, {
      path: ['target_time'],
      error: 'is required with PITR',
    }),
  Resize: z.object({
    cpu_millis: z.string().regex(/^[1-9]\d{0,6}$/u, 'must be millicores as a string'),
    memory_gbs: z.string().regex(/^[1-9]\d{0,4}$/u, 'must be gigabytes as a string'),
  }),
  UpdatePassword: z.object({ password: z.string().min(8).max(128) }),
  SetHighAvailability: z.object({
    replica_count: z.int().min(0).max(100).optional(),
    sync_replica_count: z.int().min(0).max(100).optional(),
  }),
  CreateReplicaSet: z.object({
    name,
    nodes: z.int().min(1).max(100),
    cpu_millis: z.int().min(1),
    memory_gbs: z.int().min(1),
  }),
} as const;

/** The client's schemas, unless the API needs a stricter schema. */
export const bodies = { ...requests, ...stricter };

export type CreateServiceBody = z.output<typeof bodies.CreateService>;

type Parsed<N extends keyof typeof bodies> = z.output<(typeof bodies)[N]>;
const schemas: { readonly [N in keyof typeof bodies]: z.ZodType<Parsed<N>> } = bodies;

/** Parses the body of the request, and refuses a request beyond the offers. */
export function takes<N extends keyof typeof bodies>(operation: N, handle: (incoming: Incoming<Parsed<N>>) => unknown): Handler {
  return (incoming) => {
    const body = schemas[operation].parse(incoming.body);
    const { offers } = incoming.project;
    if (offers) requireOffered(offers, body);
    return handle({ ...incoming, body });
  };
}
