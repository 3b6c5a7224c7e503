/** A shorter password is easily guessed, and is found in many other words of a message that is cleaned of it. */
export const shortestPassword = 8;
/** A longer password would take too much memory: the operator cleans its messages of each password. */
export const longestPassword = 1_024;

/**
 * The reason that a text is no usable password, of a user or of the cloud: its number of characters, or a character in
 * it. Undefined for a usable password.
 */
export function passwordFault(text: string): 'length' | 'character' | undefined {
  if (text.length < shortestPassword || text.length > longestPassword) return 'length';
  // PostgreSQL accepts no NUL, and a client that reads a line would take another password. UTF-8 has no half of a
  // character, so a Secret would have another password.
  return /\p{Cc}/u.test(text) || !text.isWellFormed() ? 'character' : undefined;
}
