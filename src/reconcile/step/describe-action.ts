import type { Action } from './action.ts';

/** Texts for a refused action: the action, for `the cloud refused to …`, and the advice. */
export interface Phrase {
  readonly what: string;
  readonly remedy: string;
}

const inTheCloud = 'remove there what it objects to; tried again in a while';

/** @param thing the resource, such as `the service` */
export function describeAction(action: Action | undefined, thing: string): Phrase {
  switch (action?.type) {
    case 'create': {
      const isFork = action.creation.operation === 'forkService';
      return { what: `${isFork ? 'fork' : 'create'} ${thing}`, remedy: 'change the spec' };
    }
    case 'startDeletion':
    case 'delete':
      return { what: `delete ${thing}`, remedy: inTheCloud };
    case 'change':
      return { what: action.request, remedy: action.remedy };
    case 'createPeering':
      return { what: `peer ${action.key} with ${thing}`, remedy: 'change spec.peerings' };
    case 'deletePeering':
      return { what: `remove peering ${action.id} of ${thing}`, remedy: inTheCloud };
    case 'setPassword':
      return { what: `set the password of ${thing}`, remedy: 'change spec.password' };
    case undefined:
    case 'writeRecord':
    case 'adopt':
    case 'holdCredentials':
    case 'rebind':
    case 'hold':
    case 'dropEntries':
    case 'storeConnection':
    case 'dropConnections':
    case 'watchPasswordSource':
      return { what: `change ${thing}`, remedy: 'change the spec' };
  }
}
