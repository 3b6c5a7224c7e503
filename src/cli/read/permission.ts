import { KubernetesError } from '../../runtime/index.ts';
import { CommandError } from '../error.ts';

/** Whether the API server refused a read for lack of a right. */
export function isForbidden(error: unknown): boolean {
  return error instanceof KubernetesError && error.kind === 'forbidden';
}

/**
 * The pages of a read of objects of tenants.
 * @param plural such as `secrets`
 * @param namespace undefined: the read is about all namespaces
 * @throws {CommandError} with the missing right and the command that grants it, if the user lacks the right
 */
export async function* permitted<T>(
  pages: AsyncIterable<T>,
  plural: string,
  namespace: string | undefined,
): AsyncGenerator<T> {
  try {
    yield* pages;
  } catch (error) {
    if (!isForbidden(error)) throw error;
    throw new CommandError(
      namespace === undefined
        ? `you may not list ${plural} in all namespaces: give -n NAMESPACE instead of -A`
        : `you may not list ${plural} in namespace ${namespace}; an administrator grants it: kubectl create rolebinding managed-db-plan -n ${namespace} --clusterrole=managed-db-plan --user=NAME`,
    );
  }
}
