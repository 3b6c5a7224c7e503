/** An API server, and as whom it is asked. Where that comes from is the caller's: `kubeconfig.ts` reads it as kubectl does. */
export interface ApiServer {
  readonly url: URL;
  /** As they are now: asked for again after some seconds, since a token that is read from a file is rotated. */
  credentials(): Promise<Credentials>;
}

export interface Credentials {
  /** As Node's TLS takes them. What is absent is as usual. */
  readonly tls: {
    readonly ca?: string | Buffer | (string | Buffer)[];
    readonly cert?: string | Buffer;
    readonly key?: string | Buffer;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
  /** Such as `authorization`. */
  readonly headers: Readonly<Record<string, string>>;
}
