import { CloudError, orCloudError, type CloudErrorKind } from '../../cloud/cloud-error.ts';

/**
 * What a GET answers; undefined when the cloud says that there is no such thing.
 * @param alsoSaidBy other answers that mean the same
 */
export async function unlessNotFound<T>(reply: Promise<T>, alsoSaidBy?: CloudErrorKind): Promise<T | undefined> {
  const answer = await orCloudError(reply);
  if (!(answer instanceof CloudError)) return answer;
  if (answer.kind === 'notFound' || answer.kind === alsoSaidBy) return undefined;
  throw answer;
}
