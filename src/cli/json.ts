/** Readers must ignore unknown fields. */
export function jsonText(kind: string, content: object): string {
  return `${JSON.stringify({ apiVersion: 'cli.managed-db.io/v1alpha1', kind, ...content }, undefined, 2)}\n`;
}
