import type * as z from 'zod';
import type { PathIds } from '../cloud/wire/all.ts';
import { requireOffered } from './offers.ts';
import type { Project } from './project.ts';
import { bodies } from './request-bodies.ts';

/** The project of the key, the ids of the path, the parsed body, and the time that lists show. */
export interface Incoming<Body> {
  readonly project: Project;
  readonly ids: Readonly<Record<keyof PathIds, string>>;
  readonly body: Body;
  readonly listTime: number;
}

/** @returns the resource that the reply shows @throws {ApiError} @throws {z.ZodError} for an invalid body */
export type Handler = (incoming: Incoming<unknown>) => unknown;

type Parsed<N extends keyof typeof bodies> = z.output<(typeof bodies)[N]>;
const schemas: { readonly [N in keyof typeof bodies]: z.ZodType<Parsed<N>> } = bodies;

/** Parses the body of the request, and refuses a request beyond the offers. */
export function takes<N extends keyof typeof bodies>(name: N, handle: (incoming: Incoming<Parsed<N>>) => unknown): Handler {
  return (incoming) => {
    const body = schemas[name].parse(incoming.body);
    const { offers } = incoming.project;
    if (offers) requireOffered(offers, body);
    return handle({ ...incoming, body });
  };
}
