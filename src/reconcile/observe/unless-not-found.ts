import { CloudError } from '../../cloud/cloud-error.ts';

/** What a GET answers; undefined when the cloud says that there is no such thing. */
export async function unlessNotFound<T>(reply: Promise<T>): Promise<T | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof CloudError && error.kind === 'notFound') return undefined;
    throw error;
  }
}
