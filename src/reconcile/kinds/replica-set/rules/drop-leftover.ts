import type { Rule } from '../../../decide/rule.ts';
import { write } from '../../../step/step.ts';
import type { ExistingReplicaSet } from '../situation.ts';

/** A second copy of the password, left from making a deleted Secret again, goes once the Secret has it: a replica set has no password on its way. */
export const dropLeftover: Rule<ExistingReplicaSet> = ({ secret, record }) => {
  if (secret.state !== 'ours' || secret.secret.metadata.deletionTimestamp || secret.secret.password === 'none') return undefined;
  if (!secret.pending || record.previousSecretName !== undefined) return undefined;
  const { name } = secret.pending.metadata;
  return write({ type: 'dropConnection', name, record: undefined }, `Secret "${name}" is needed no more`);
};
