import * as z from 'zod';
import { optional } from './field.ts';

/** Reply of attach, detach, pooler and environment operations. @see cloud-api.md, Message response */
export const messageResponse = z.object({ message: optional(z.string()) });

/** Body of an error reply; undocumented, so both fields are optional and any other body is taken too. */
export const errorBody = z.object({ code: optional(z.string()), message: optional(z.string()) });
