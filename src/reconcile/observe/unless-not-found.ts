import { CloudError, type CloudErrorKind } from '../../cloud/cloud-error.ts';

/**
 * What a GET answers; undefined when the cloud says that there is no such thing.
 * @param alsoSaidBy other answers that mean the same
 */
export async function unlessNotFound<T>(reply: Promise<T>, alsoSaidBy?: CloudErrorKind): Promise<T | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof CloudError && (error.kind === 'notFound' || error.kind === alsoSaidBy)) return undefined;
    throw error;
  }
}
