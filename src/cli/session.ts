/** The surroundings of a command. */
export interface Session {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Aborts at Ctrl-C, or at another signal that ends the program. */
  readonly signal: AbortSignal;
}

/** Flags of the commands that read a cluster. */
export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Flags of the commands that read the cloud of an operator. */
export interface CloudFlags extends ClusterFlags {
  readonly cloudUrl?: string;
  readonly credentials?: string;
  readonly operator?: string;
}

/** Flags of the commands about objects in namespaces. */
export interface ObjectFlags {
  readonly namespace?: string;
  readonly allNamespaces: boolean;
}
