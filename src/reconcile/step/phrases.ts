import type { Action } from './action.ts';
import type { CloudChange } from './cloud-change.ts';

/** What was tried, for `the cloud refused to …`, and what a person can do about a refusal. */
export interface Phrase {
  readonly what: string;
  readonly remedy: string;
}

const inTheCloud = 'remove there what it objects to; tried again in a while';

/** @param thing `the service` */
export function phraseOf(action: Action | undefined, thing: string): Phrase {
  switch (action?.type) {
    case 'create': {
      const isFork = action.creation.operation === 'forkService';
      return { what: `${isFork ? 'fork' : 'create'} ${thing}`, remedy: 'change the spec' };
    }
    case 'startDeletion':
    case 'delete':
      return { what: `delete ${thing}`, remedy: inTheCloud };
    case 'change':
      return phraseOfChange(action.change, thing);
    case 'createPeering':
      return { what: `peer ${action.key} with ${thing}`, remedy: 'change spec.peerings' };
    case 'deletePeering':
      return { what: `remove peering ${action.id} of ${thing}`, remedy: inTheCloud };
    case 'setPassword':
      return {
        what: `set the password of ${thing}`,
        remedy:
          action.source === 'edited'
            ? 'write another one into the connection Secret, or set spec.password.rotation to have one made'
            : 'change spec.password',
      };
    case undefined:
    case 'writeRecord':
    case 'adopt':
    case 'holdCredentials':
    case 'storeConnection':
    case 'moveConnection':
    case 'dropConnection':
    case 'notePassword':
    case 'watchPasswordSource':
    case 'remakeConnection':
      return { what: `change ${thing}`, remedy: 'change the spec' };
  }
}

function phraseOfChange(change: CloudChange, thing: string): Phrase {
  switch (change.operation) {
    case 'renameVpc':
      return { what: `rename ${thing} to "${change.name}"`, remedy: 'change spec.name' };
    case 'startService':
      return { what: `start ${thing}`, remedy: 'change spec.powerState' };
    case 'stopService':
      return { what: `stop ${thing}`, remedy: 'change spec.powerState' };
    case 'attachServiceToVpc':
      return { what: `attach ${thing} to VPC ${change.vpcId}`, remedy: 'change spec.vpcRef or spec.vpcId' };
    case 'detachServiceFromVpc':
      return { what: `detach ${thing} from VPC ${change.vpcId}`, remedy: 'change spec.vpcRef or spec.vpcId' };
    case 'resizeService':
    case 'resizeReplicaSet': {
      const { cpu_millis: cpuMillis, memory_gbs: memoryGbs } = change.size;
      return { what: `resize ${thing} to ${cpuMillis} millicores, ${memoryGbs} GB`, remedy: 'change spec.cpuMillis or spec.memoryGbs' };
    }
    case 'setServiceHighAvailability':
      return { what: `change the high-availability replicas of ${thing}`, remedy: 'change spec.highAvailability' };
    case 'setServiceEnvironment':
    case 'setReplicaSetEnvironment':
      return { what: `set the environment of ${thing} to ${change.environment}`, remedy: 'change spec.environment' };
    case 'enableServicePooler':
    case 'enableReplicaSetPooler':
      return { what: `enable the connection pooler of ${thing}`, remedy: 'change spec.connectionPooler' };
    case 'disableServicePooler':
    case 'disableReplicaSetPooler':
      return { what: `disable the connection pooler of ${thing}`, remedy: 'change spec.connectionPooler' };
  }
}
