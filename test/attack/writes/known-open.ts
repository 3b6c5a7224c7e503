const forgotten =
  'the last write of setting a password: once it is refused, the next visit sees a password that is set, says Available and never writes it again';

/** Cells that are red, and why; each fails the run when it turns green. */
export const knownOpen: ReadonlyMap<string, string> = new Map(
  ['400 by a webhook', '403', '413', '422', '500'].map(
    (refusal) => [`that the password is ours from now on, refused: ${refusal}`, forgotten] as const,
  ),
);
