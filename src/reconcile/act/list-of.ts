import type { ListPoller } from '../../cloud/list-poller.ts';
import type { ProjectObserver } from '../../cloud/project-observer.ts';
import type { CloudDeletion, Creation } from '../step/action.ts';

/** The list that shows what is created or deleted. */
export function listOf(change: Creation | CloudDeletion, observer: ProjectObserver): ListPoller<{ readonly name?: string | undefined }> {
  switch (change.operation) {
    case 'createVpc':
    case 'deleteVpc':
      return observer.vpcs;
    case 'createService':
    case 'forkService':
    case 'deleteService':
      return observer.services;
    case 'createReplicaSet':
    case 'deleteReplicaSet':
      return observer.replicaSets(change.parentId);
  }
}
