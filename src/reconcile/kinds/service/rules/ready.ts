import type { SecretSight } from '../../../situation/secret-sight.ts';
import type { Rule } from '../../../decide/rule.ts';
import type { ExistingService } from '../situation.ts';

export const ready: Rule<ExistingService> = ({ secret, object, resource, state, pendingChanges }) => {
  if (state === 'PAUSED') {
    const names = pendingChanges.map(({ name }) => name);
    const follows = names.length === 0 ? '' : `; when it runs again: ${names.join(', ')}`;
    const words =
      object.spec.powerState === 'Stopped'
        ? 'the service is stopped, as asked'
        : 'the service is stopped; set spec.powerState to Running to start it';
    return { type: 'done', reason: 'Stopped', message: words + follows };
  }
  const { endpoint } = resource;
  const where = endpoint?.host === undefined ? '' : ` at ${endpoint.host}:${endpoint.port ?? ''}`;
  return {
    type: 'done',
    reason: 'Available',
    message: `the service is available${where}; Secret "${secret.name}" has the connection${hintOf(secret)}`,
  };
};

/** Only a Secret that was seen tells that it has no password. */
function hintOf(secret: SecretSight): string {
  const hasNone = secret.state === 'ours' && secret.secret.password === 'none';
  return hasNone ? ', without a password: nobody has told it; set one with spec.password' : '';
}
