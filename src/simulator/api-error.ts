import * as z from 'zod';

/** A refusal of the cloud, with its HTTP status. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export function notFound(what: string, id: string): ApiError {
  return new ApiError(404, 'not_found', `${what} ${id} does not exist`);
}

export function conflict(message: string): ApiError {
  return new ApiError(409, 'conflict', message);
}

/** The error of the caller as 4xx; a bug of the simulator as 500. */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    return new ApiError(
      400,
      'invalid_argument',
      `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'is not valid'}`,
    );
  }
  const framework = withStatus.safeParse(error).data;
  if (framework) return new ApiError(framework.statusCode, 'bad_request', framework.message);
  return new ApiError(500, 'internal', 'a mistake of the simulator');
}

/** An error of fastify about the request. */
const withStatus = z.object({ statusCode: z.int().min(400).max(499), message: z.string() });
