import * as z from 'zod';
import { type PathIds, requests } from '../cloud/wire/all.ts';
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

/** The client's schemas. Beyond them, the cloud limits the length of a password. */
export const bodies = {
  ...requests,
  UpdatePassword: z.object({ password: z.string().min(8).max(128) }),
};

export type CreateServiceBody = z.output<typeof bodies.CreateService>;

type Parsed<N extends keyof typeof bodies> = z.output<(typeof bodies)[N]>;
const schemas: { readonly [N in keyof typeof bodies]: z.ZodType<Parsed<N>> } = bodies;

/** Parses the body of the request, and refuses a request beyond the offers. */
export function takes<N extends keyof typeof bodies>(
  operation: N,
  handle: (incoming: Incoming<Parsed<N>>) => unknown,
): Handler {
  return (incoming) => {
    const body = schemas[operation].parse(incoming.body);
    const { offers } = incoming.project;
    if (offers) requireOffered(offers, body);
    return handle({ ...incoming, body });
  };
}
