import type { Service } from '../../../cloud/wire/service.ts';
import { policy } from '../../decide/policy.ts';
import { secretNamed } from '../../decide/rules/adoption.ts';
import { knownByStatus } from './known-by-status.ts';
import { awaitReferences, create } from './rules/create.ts';
import { connectionSecret } from './rules/connection-secret.ts';
import { awaitVpc } from './rules/vpc.ts';
import { ready, settle, stillAtWork } from './rules/settle.ts';
import type { ServiceSituation } from './situation.ts';

/** The policy of a ManagedService, beside the shared policy. */
export const decideService = policy<Service, ServiceSituation>({
  always: { recordParts: knownByStatus },
  missing: {
    adopted: (situation) => ({ ...secretNamed(situation), password: 'unmanaged' }),
    references: [awaitReferences],
    create,
  },
  existing: {
    settle: [settle],
    connectionSecret: [connectionSecret],
    trouble: [stillAtWork],
    waits: [awaitVpc],
    ready,
  },
});
