/** Whether this process may act. Asked at the moment when a request goes to a socket, not earlier. */
export interface Leadership {
  /** True only while it is provable that no other process can hold the lease. */
  readonly held: boolean;
}

/** For a single replica: no other process could act. */
export const alwaysLeader: Leadership = { held: true };
