import type { Rule } from '../../../decide/rule.ts';
import { write } from '../../../step/step.ts';
import type { ExistingReplicaSet } from '../situation.ts';

/** Removes the copy that was left from recreating a deleted Secret, once the Secret has its password. A replica set never has a pending password. */
export const dropLeftover: Rule<ExistingReplicaSet> = ({ secret, record }) => {
  if (secret.state !== 'ours' || secret.secret.metadata.deletionTimestamp || secret.secret.password === 'none') return undefined;
  if (!secret.pending || record.previousSecretName !== undefined) return undefined;
  const { name } = secret.pending.metadata;
  return write({ type: 'dropConnection', name, record: undefined }, `Secret "${name}" is needed no more`);
};
