import { secretsWithData, type SecretWithData } from '../connection/connection-secret.ts';
import type { ResourceType } from '../../runtime/kubernetes-object.ts';

/** A credentials Secret as the cache keeps it: nothing of its content. */
export interface SecretMetadata {
  readonly metadata: SecretWithData['metadata'];
}

export const secretMetadata: ResourceType<SecretMetadata> = {
  ...secretsWithData,
  parse: (value) => ({ metadata: secretsWithData.parse(value).metadata }),
};
