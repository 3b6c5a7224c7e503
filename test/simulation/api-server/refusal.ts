import type { JsonObject } from './json.ts';

/** The reasons of the API server in a reply with an error, with their HTTP status. */
const statuses = {
  BadRequest: 400,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  Conflict: 409,
  AlreadyExists: 409,
  Expired: 410,
  UnsupportedMediaType: 415,
  Invalid: 422,
  InternalError: 500,
} as const;
export type Reason = keyof typeof statuses;

/** A part of an object that the server refuses. */
// oxlint-disable-next-line typescript/consistent-type-definitions -- an alias is assignable to JsonObject
export type Cause = {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
};

/** The object of a refused request. */
export interface About {
  readonly name: string;
  readonly group: string;
  /** The plural of the kind for most reasons, the kind for `Invalid`. */
  readonly kind: string;
}

/** A request that the server refuses, as a Status of Kubernetes. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly reason: Reason;
  readonly about: About | undefined;
  readonly causes: readonly Cause[];

  constructor(reason: Reason, message: string, about?: About, causes: readonly Cause[] = []) {
    super(message);
    this.reason = reason;
    this.about = about;
    this.causes = causes;
  }

  get status(): number {
    return statuses[this.reason];
  }

  /** The object of kind Status that the reply contains. */
  get body(): JsonObject {
    const { name, group, kind } = this.about ?? { name: '', group: '', kind: '' };
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      reason: this.reason,
      details: {
        ...(name === '' ? {} : { name }),
        ...(group === '' ? {} : { group }),
        ...(kind === '' ? {} : { kind }),
        ...(this.causes.length === 0 ? {} : { causes: this.causes }),
      },
      code: this.status,
    };
  }
}
