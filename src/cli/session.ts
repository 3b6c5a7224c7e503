export interface Session {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Aborts at Ctrl-C, or at another signal that ends the program. */
  readonly signal: AbortSignal;
}

export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface CloudFlags extends ClusterFlags {
  readonly cloudUrl?: string;
  readonly credentials?: string;
  readonly operator?: string;
}

export interface ObjectFlags {
  readonly namespace?: string;
  readonly allNamespaces: boolean;
}
