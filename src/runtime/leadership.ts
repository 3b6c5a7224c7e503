/** Whether this process may act. Asked at the moment something goes to a socket, not before. */
export interface Leadership {
  /** Provably, now. */
  readonly held: boolean;
}

/** For a single replica: nobody else could act. */
export const alwaysLeader: Leadership = { held: true };
