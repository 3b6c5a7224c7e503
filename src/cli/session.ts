/** The surroundings of a command. */
export interface Session {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Aborts at Ctrl-C, and at the end of --timeout. */
  readonly signal: AbortSignal;
}

/** Flags of all commands that read a cluster. */
export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly allNamespaces: boolean;
  readonly cloudUrl?: string;
  readonly credentials?: string;
  readonly operator?: string;
}
