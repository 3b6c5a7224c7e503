import { annotations } from '../../../resources/annotations.ts';
import type { ResourceRecord } from '../../record.ts';
import type { Rule } from '../../rule.ts';
import { call, stall } from '../../step.ts';
import { serviceCreation } from '../creation.ts';
import type { ServiceSituation } from '../situation.ts';

/** Creates the service, once. A name that the user chose may be taken already, by the very service that is meant. */
export const create: Rule<ServiceSituation> = (situation) => {
  const { identity, object, cloud, account, record, clusterUid, forkSource, sameNameIds, attempt, vpc, secret } = situation;
  if (account.state !== 'usable' || (identity.state === 'known' && cloud.state !== 'absent')) return undefined;
  const { spec, metadata } = object;
  const createAnyway = metadata.annotations?.[annotations.createAnyway] === 'true';
  if (sameNameIds.length > 0 && !createAnyway && !record.attempt) {
    return stall(
      'SameNameExists',
      `a service named "${spec.name}" exists (${sameNameIds.join(', ')}): annotate managed-db.io/external-id=<id> to take it over, managed-db.io/create-anyway=true to create another, or choose another spec.name`,
      { retryAfterMs: 60_000 },
    );
  }
  const creation = serviceCreation(spec, forkSource.state === 'found' ? forkSource.id : undefined);
  const claim: ResourceRecord = {
    projectId: account.account.projectId,
    clusterUid,
    objectUid: metadata.uid,
    secretName: secret.name,
    password: 'managed',
    ...(creation.operation === 'forkService' ? { forkSourceId: creation.sourceId } : {}),
    ...(identity.state === 'known' ? { replaces: identity.id } : {}),
  };
  return call(
    {
      type: 'create',
      creation,
      name: spec.name === undefined ? { kind: 'ours', prefix: metadata.name } : { kind: 'given', name: spec.name },
      sameNameIds: [...new Set([...(attempt?.attempt.sameNameIds ?? record.attempt?.sameNameIds ?? []), ...sameNameIds])],
      record: claim,
      recordOnSuccess: vpc.state === 'found' ? { vpcAttachment: vpc.id } : {},
    },
    { reason: 'Creating', message: creation.operation === 'forkService' ? `forking service ${creation.sourceId}` : 'creating the service' },
  );
};
