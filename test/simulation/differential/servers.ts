import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { inject } from 'vitest';
import {
  memoryApiServer,
  type KubernetesRequest,
  type MemoryApiServer,
} from '../api-server/api-server.ts';
import { type Json, parsedJson } from '../api-server/json.ts';
import type { User } from './step.ts';

/** A call as both servers get it. */
export type Call = Omit<KubernetesRequest, 'user'> & { readonly user: User };

/** A reply of either server. */
export interface Answer {
  readonly status: number;
  readonly body: Json | undefined;
}

/** A watch of either server, with the lines that came so far. */
export interface Opened {
  readonly status: number;
  readonly lines: readonly Json[];
  /** Whether the server closed the watch. */
  isEnded(): boolean;
  close(): void;
}

/** A server under comparison. */
export interface Server {
  call(call: Call): Promise<Answer>;
  watch(call: Call): Promise<Opened>;
}

const operatorName = 'system:serviceaccount:managed-db-system:managed-db-operator';

/** A new server in memory. */
export function memory(): Server & { readonly api: MemoryApiServer } {
  const api = memoryApiServer({ now: () => Date.now(), newUid: randomUUID });
  const answer = (call: Call) =>
    api.answer({ ...call, user: call.user === 'operator' ? operatorName : call.user });
  return {
    api,
    call(call) {
      const reply = answer(call);
      if (reply.type === 'watch') throw new Error('a watch answered a call');
      return Promise.resolve({ status: reply.status, body: parsedJson(reply.body) });
    },
    watch(call) {
      const reply = answer(call);
      if (reply.type === 'reply')
        return Promise.resolve({
          status: reply.status,
          lines: [],
          isEnded: () => true,
          close: () => undefined,
        });
      const lines: Json[] = [];
      let ended = false;
      const close = reply.open(
        (line) => void lines.push(parsedJson(line) ?? null),
        () => void (ended = true),
      );
      return Promise.resolve({ status: 200, lines, isEnded: () => ended, close });
    },
  };
}

/** The real server of the test run. Close it with `agent`. */
export function real(agent: Agent): Server {
  const { server, adminToken } = inject('controlPlane');
  const operatorToken = inject('operatorToken');
  const send = async ({ method, path, body, accept, contentType, user }: Call) =>
    request(new URL(path, server), {
      dispatcher: agent,
      method: method as 'GET', // oxlint-disable-line typescript/no-unsafe-type-assertion -- undici names methods in a type
      headers: {
        authorization: `Bearer ${user === 'operator' ? operatorToken : adminToken}`,
        accept: accept ?? 'application/json',
        ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
        ...(user === 'tenant' ? { 'impersonate-user': 'tenant' } : {}),
      },
      ...(body === undefined ? {} : { body }),
    });
  return {
    async call(call) {
      const reply = await send(call);
      return { status: reply.statusCode, body: parsedJson(await reply.body.text()) };
    },
    async watch(call) {
      const { statusCode, body } = await send(call);
      const lines: Json[] = [];
      let ended = false;
      let text = '';
      body.on('data', (chunk: Buffer) => {
        const parts = `${text}${chunk.toString()}`.split('\n');
        text = parts.pop() ?? '';
        if (statusCode === 200) lines.push(...parts.map((part) => parsedJson(part) ?? null));
      });
      body.on('close', () => void (ended = true)).on('error', () => void (ended = true));
      return { status: statusCode, lines, isEnded: () => ended, close: () => body.destroy() };
    },
  };
}

/** Connections to the real server. Its certificate is its own. */
export function realAgent(): Agent {
  const ca = Buffer.from(inject('controlPlane').caData, 'base64').toString();
  return new Agent({ connect: { ca }, connections: 64, bodyTimeout: 0 });
}
