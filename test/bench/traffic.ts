/** A request of the operator that changes something, by its name in the counts of the API server: people apply. */
export function isWrite(name: string): boolean {
  return /^(?:POST|PUT|PATCH|DELETE) /u.test(name);
}

export function isKubernetesRead(name: string): boolean {
  return /^(?:GET|LIST) /u.test(name);
}

export function isCloudRead(operation: string): boolean {
  return /^(?:get|list)/u.test(operation);
}
