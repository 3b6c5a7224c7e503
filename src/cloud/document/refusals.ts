import type { JsonObject } from './document-schema.ts';
import { schemaRef } from './schemas.ts';

interface Refusal {
  readonly name: string;
  readonly description: string;
  readonly code: string;
  readonly message: string;
}

const refusals = {
  400: {
    name: 'BadRequest',
    description: 'The request is not one that can be carried out. The operator shows the words, and asks again when its spec changes.',
    code: 'invalid_argument',
    message: 'name: is missing',
  },
  401: {
    name: 'Unauthorized',
    description:
      'The API key is missing, wrong or revoked. The operator asks now and then whether it is valid again: at last every ten minutes.',
    code: 'unauthorized',
    message: 'the API key is not valid',
  },
  403: {
    name: 'Forbidden',
    description: 'The API key may not do this, or opens another project.',
    code: 'forbidden',
    message: 'the API key belongs to another project',
  },
  404: {
    name: 'NotFound',
    description: 'There is nothing of one of the ids. The operator does not take a 404 alone as a proof: lists have to agree.',
    code: 'not_found',
    message: 'service c7x2k9 does not exist',
  },
  413: { name: 'TooLarge', description: 'The body is longer than the cloud takes.', code: 'bad_request', message: 'the body is too large' },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is not `application/json`.',
    code: 'unsupported',
    message: 'bodies are application/json',
  },
  429: {
    name: 'TooManyRequests',
    description: 'Too many requests of this API key. None of its requests is sent before `Retry-After`; five seconds without it.',
    code: 'rate_limited',
    message: 'too many requests',
  },
  '5XX': {
    name: 'CloudFailed',
    description: 'The cloud failed. Whether anything was done stays open: the operator looks before it asks again.',
    code: 'internal',
    message: 'something went wrong',
  },
} as const satisfies Record<string, Refusal>;
export type RefusalStatus = keyof typeof refusals;

export function refusalRef(status: RefusalStatus): JsonObject {
  return { $ref: `#/components/responses/${refusals[status].name}` };
}

export function refusalOf(description: string, code: string, message: string): JsonObject {
  return { description, content: { 'application/json': { schema: schemaRef('Error'), example: { code, message } } } };
}

/** `components.responses` of the document. */
export function documentRefusals(): JsonObject {
  return Object.fromEntries(
    Object.entries(refusals).map(([status, { name, description, code, message }]) => {
      const headers = status === '429' ? { headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } } : {};
      return [name, { ...refusalOf(description, code, message), ...headers }];
    }),
  );
}
