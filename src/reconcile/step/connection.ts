import type { Endpoint } from '../../cloud/wire/endpoint.ts';

/** The data that an app needs to connect. An unknown endpoint has no keys in the Secret. */
export interface Connection {
  readonly username: string;
  readonly database: string;
  readonly direct: Endpoint | undefined;
  readonly pooler: Endpoint | undefined;
  readonly vpc: Endpoint | undefined;
}

/** The wanted metadata of a connection Secret: its name, its resource, and the labels and annotations of the spec. */
export interface WantedSecret {
  readonly name: string;
  /** The Secret for a pending password: the present one, whatever its name, or the one to be made. */
  readonly pendingName: string;
  readonly id: string | undefined;
  readonly projectId: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A connection Secret and its content, without the password. Only the Secret itself has the password. */
export interface ConnectionWrite {
  readonly secret: WantedSecret;
  readonly connection: Connection;
  /** The Secret in the same namespace from which the password is copied, such as that of a replica set's service. Undefined: the present password stays. */
  readonly passwordFrom: string | undefined;
}
