/** The address of an API server, and its credentials. `kubeconfig.ts` reads them as kubectl does. */
export interface ApiServer {
  readonly url: URL;
  /** Called again every few seconds, since a token in a file is rotated. */
  credentials(): Promise<Credentials>;
}

export interface Credentials {
  /** TLS options as Node takes them. An absent option has Node's default. */
  readonly tls: {
    readonly ca?: string | Buffer | (string | Buffer)[];
    readonly cert?: string | Buffer;
    readonly key?: string | Buffer;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
  /** Request headers that carry a credential, such as `authorization`. */
  readonly headers: Readonly<Record<string, string>>;
}
