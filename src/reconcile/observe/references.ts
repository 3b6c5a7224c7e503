import { recordOf } from '../record/own-entry.ts';
import { serviceId as parseServiceId, type ServiceId } from '../../cloud/wire/service.ts';
import { vpcId as parseVpcId, type VpcId } from '../../cloud/wire/vpc.ts';
import { resourceKey } from '../../runtime/index.ts';
import type { ObservedAccount } from '../credentials/accounts.ts';
import type { View } from '../process/context.ts';
import type { Reference } from '../situation/observed-resource.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { ManagedService } from '../../resources/managed-service.ts';
import { claimOf } from './claim.ts';

interface Named {
  readonly ref: { readonly name: string } | undefined;
  readonly id: string | undefined;
  readonly refField: string;
  readonly idField: string;
  readonly kind: 'ManagedVpc' | 'ManagedService';
  /** The id of the object's present resource. It holds the deletion of that resource up. */
  readonly has?: string | undefined;
}

type Objects = Pick<View, 'caches' | 'claims' | 'clusterUid' | 'options'>;

/** Resolves `vpcRef` or `vpcId`. A VPC exists as soon as its object has its id, and owns it. */
export function vpcReference(object: ManagedService, account: ObservedAccount, context: Objects): Reference<VpcId> {
  const { spec, status } = object;
  const named: Named = {
    ref: spec.vpcRef,
    id: spec.vpcId,
    refField: 'spec.vpcRef',
    idField: 'vpcId',
    kind: 'ManagedVpc',
    has: status?.vpcId,
  };
  return resolve(object, named, account, context, (id) => parseVpcId.parse(id));
}

/** Resolves `serviceRef` or `serviceId` of a fork or of a replica set. A service exists as soon as its object has its id, and owns it. */
export function serviceReference(
  object: ManagedObject,
  spec: { serviceRef?: { name: string } | undefined; serviceId?: string | undefined } | undefined,
  place: 'spec' | 'spec.fork',
  account: ObservedAccount,
  context: Objects,
): Reference<ServiceId> {
  const idField = place === 'spec' ? 'serviceId' : 'fork.serviceId';
  const named: Named = { ref: spec?.serviceRef, id: spec?.serviceId, refField: `${place}.serviceRef`, idField, kind: 'ManagedService' };
  return resolve(object, named, account, context, (id) => parseServiceId.parse(id));
}

function resolve<Id extends string>(
  object: ManagedObject,
  named: Named,
  account: ObservedAccount,
  context: Objects,
  brand: (id: string) => Id,
): Reference<Id> {
  if (named.id !== undefined) return rawId(named.id, named, account, context, brand);
  if (named.ref === undefined) return { state: 'none' };
  const { namespace } = object.metadata;
  const key = resourceKey(namespace, named.ref.name);
  const referent = context.caches.of(named.kind).get(key);
  const reference = `${named.refField} "${named.ref.name}"`;
  if (!referent) {
    return {
      state: 'waiting',
      message: `${reference} not found in namespace "${namespace}": create the ${named.kind}${mayUseIds(object, context.options) ? `, or use ${named.idField}` : ''}`,
    };
  }
  const record = recordOf(referent, context.caches);
  if (referent.metadata.deletionTimestamp && (record.id === undefined || record.id !== named.has)) {
    return {
      state: 'waiting',
      message: `${reference} is being deleted: name another ${named.kind}, or create it again once it is gone`,
    };
  }
  if (!record.id && isForkOf(referent, object))
    return { state: 'waiting', message: `${reference} is itself a fork of this object: fork another service` };
  if (!record.id) return { state: 'waiting', message: `${reference} is not created in the cloud yet: its status says why` };
  // An object that was restored into another cluster names a resource of another owner.
  if (claimOf(referent, context).state !== 'ours') {
    return { state: 'waiting', message: `${reference} is not bound to its resource: its status says what to do` };
  }
  if (account.state === 'usable' && record.projectId !== account.account.projectId) {
    return {
      state: 'waiting',
      message: `${reference} is in project ${record.projectId}, this object in ${account.account.projectId}: give both the same credentials`,
    };
  }
  return { state: 'found', id: brand(record.id) };
}

/** Whether each of two new services waits for the other. */
function isForkOf({ kind, spec }: ManagedObject, { kind: ownKind, metadata }: ManagedObject): boolean {
  return kind === 'ManagedService' && ownKind === kind && spec.fork?.serviceRef?.name === metadata.name;
}

/** Whether ids are allowed. With the operator's own key an id may belong to another namespace, so policy and operator refuse it. */
function mayUseIds({ spec }: ManagedObject, { sharedProjectAdoption }: View['options']): boolean {
  return spec.credentialsRef !== undefined || sharedProjectAdoption;
}

function rawId<Id>(id: string, named: Named, account: ObservedAccount, context: Objects, brand: (id: string) => Id): Reference<Id> {
  const mayReach = account.state !== 'usable' || !account.account.operatorsOwn || context.options.sharedProjectAdoption;
  if (mayReach) return { state: 'found', id: brand(id) };
  const alternative = named.refField.replace('spec.', '');
  return {
    state: 'refused',
    message: `spec.${named.idField} "${id}" may be anything in the operator's project: use ${alternative}, or set spec.credentialsRef to a key of your own`,
  };
}
