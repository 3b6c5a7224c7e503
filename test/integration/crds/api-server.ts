import { Agent, fetch } from 'undici';
import * as z from 'zod';
import type { ControlPlaneHandle } from '../../control-plane/control-plane.ts';

const answerBody = z.looseObject({
  message: z.string().optional(),
  details: z
    .looseObject({
      causes: z
        .array(z.looseObject({ field: z.string().optional(), message: z.string().optional() }))
        .optional(),
    })
    .optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  spec: z.unknown().optional(),
  status: z.unknown().optional(),
});

export interface Answer {
  readonly code: number;
  readonly isAccepted: boolean;
  /** The message of the API server about a refusal; empty when it accepts. */
  readonly message: string;
  readonly body: z.infer<typeof answerBody>;
}

export interface Request {
  readonly body?: unknown;
  readonly contentType?: string;
  /** Who asks, instead of the administrator: a user, or a ServiceAccount by its full user name. */
  readonly as?: string;
}

/** The API server by plain HTTP: a kubectl for each of a hundred questions would take its time. */
export interface ApiServer {
  send(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    request?: Request,
  ): Promise<Answer>;
}

export function apiServer(handle: ControlPlaneHandle): ApiServer {
  const dispatcher = new Agent({ connect: { ca: Buffer.from(handle.caData, 'base64') } });
  return {
    async send(method, path, { body, contentType = 'application/json', as } = {}) {
      const reply = await fetch(`${handle.server}${path}`, {
        method,
        dispatcher,
        headers: {
          authorization: `Bearer ${handle.adminToken}`,
          'content-type': contentType,
          ...(as === undefined ? {} : { 'impersonate-user': as }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const read = answerBody.parse(await reply.json());
      return {
        code: reply.status,
        isAccepted: reply.ok,
        message: reply.ok ? '' : (read.message ?? ''),
        body: read,
      };
    },
  };
}
