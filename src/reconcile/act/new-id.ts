import { CloudError } from '../../cloud/cloud-error.ts';
import type { CloudOperation } from '../../cloud/cloud-api.ts';

/**
 * The answer to a create, if it names something new. The cloud uses no id twice: an answer with an id that was known before the create was sent is about
 * another resource, and it stays open what the create made.
 * @param wasKnown whether the id was known when the create was sent
 */
export function withNewId<A extends { readonly id: string }>(
  operation: CloudOperation,
  answer: A | CloudError,
  wasKnown: (id: string) => boolean,
): A | CloudError {
  if (answer instanceof CloudError || !wasKnown(answer.id)) return answer;
  // Not its id: it may be another tenant's.
  return new CloudError({ operation, kind: 'unreadable', sent: true, fromApi: false, field: 'it names a resource that was there before' });
}
