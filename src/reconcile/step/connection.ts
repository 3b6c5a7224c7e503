import type { Endpoint } from '../../cloud/wire/endpoint.ts';

/** What an app needs to connect. An endpoint that is not known yet leaves its keys out. */
export interface Connection {
  readonly username: string;
  readonly database: string;
  readonly direct: Endpoint | undefined;
  readonly pooler: Endpoint | undefined;
  readonly vpc: Endpoint | undefined;
}

/** The connection Secret of an object: its name, the resource that it is about, and what the user wants on it. */
export interface WantedSecret {
  readonly name: string;
  readonly id: string | undefined;
  readonly projectId: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A connection Secret and its content. Its password is not among this data: only the Secret has it. */
export interface ConnectionWrite {
  readonly secret: WantedSecret;
  readonly connection: Connection;
  /** The Secret whose password counts, in the same namespace: a replica set is entered with its service's. Undefined: the password in place stays. */
  readonly passwordFrom: string | undefined;
}
