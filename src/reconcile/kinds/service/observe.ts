import { serviceId } from '../../../cloud/wire/ids.ts';
import type { Service } from '../../../cloud/wire/service.ts';
import type { ManagedService } from '../../../resources/managed-service.ts';
import { keyOf, type ResourceKey } from '../../../runtime/index.ts';
import type { Account } from '../../credentials/account.ts';
import type { CloudSight } from '../../situation/cloud-sight.ts';
import { connectionAnnotations } from '../../../resources/connection-secret.ts';
import type { Connection } from '../../step/connection.ts';
import { nextSecret, observeSecret, secretNameOf } from '../../connection/observe-secret.ts';
import { wantedSecretName } from '../../connection/secret-name.ts';
import type { View } from '../../process/context.ts';
import { observeAttempt } from '../../observe/observe-attempt.ts';
import { adoptionSight, firstMismatch } from '../../observe/adoption-sight.ts';
import { deletionSight } from '../../observe/deletion-sight.ts';
import { observeObject, type ObjectSight } from '../../observe/observe-object.ts';
import { inState } from '../../observe/service-state.ts';
import { sameNames } from '../../observe/same-names.ts';
import { sightOfResource, wholeSight } from '../../observe/sight-by-id.ts';
import { isToBeReplaced } from '../../situation/recreation.ts';
import { serviceReference, vpcReference } from '../../observe/references.ts';
import { writtenAt } from '../../situation/learned.ts';
import { passwordSight } from './password-sight.ts';
import { serviceCandidate } from './creation.ts';
import { serviceDependents } from './dependents.ts';
import { wholeService } from './mirror.ts';
import type { ServiceSituation } from './situation.ts';
import { serviceSituationOf } from './derived.ts';
import { vpcEndpointOf } from './vpc-endpoint.ts';
import type { ConnectionSecret } from '../../situation/secret-sight.ts';

export const serviceWords = { kind: 'ManagedService', noun: 'service' } as const;

export async function observeService(key: ResourceKey, context: View): Promise<ServiceSituation | undefined> {
  const object = context.caches.of('ManagedService').get(key);
  if (!object) return undefined;
  const secretName = wantedSecretName(object);
  const sight = await observeObject(serviceWords, object, secretName, context);
  const attempt = await observeAttempt(
    sight,
    (usable) => ({ list: usable.observer.services, candidate: serviceCandidate, get: getIn(usable) }),
    context,
  );
  const account = sight.usable;
  const seen = unlessDeleted(await sightOfResource(sight, ({ observer }) => observer.services));
  const cloud = wholeSight(seen, sight, (service) => wholeService(service, object.status?.service));
  const resource = cloud.state === 'present' ? cloud.resource : undefined;
  const fork = serviceReference(object, object.spec.fork, 'spec.fork', sight.account, context);
  const isToBeMade = cloud.state === 'none' || (cloud.state === 'absent' && isToBeReplaced(sight));
  const forkSource = isToBeMade ? await inState(fork, ['READY', 'PAUSED'], account, context) : fork;
  const known = { ...sight, object };
  // The absence of the Secret must be proven before a create, and for an existing service.
  const secret = await observeSecret(
    known,
    secretNameOf(known, object.status?.binding?.name, context) ?? secretName,
    account !== undefined && attempt === undefined,
    context,
  );
  const connectionSecret = secret.state === 'ours' ? secret.secret : undefined;
  const seenState = lastingState(sight, resource, context);
  return serviceSituationOf({
    ...sight,
    object,
    cloud,
    stateSince: seenState.since,
    learned: { ...sight.learned, state: seenState },
    attempt,
    deletion: await deletionSight(sight, cloud, context, serviceDependents(sight, context)),
    vpc: vpcReference(object, object.spec, sight.account, context),
    forkSource,
    adoption: await adoptionSight(
      sight,
      cloud,
      (usable) => ({
        list: usable.observer.services,
        get: getIn(usable),
        mismatch: (service: Service) =>
          firstMismatch([
            ['spec.name', object.spec.name, service.name],
            ['spec.regionCode', object.spec.regionCode, service.region_code],
          ]),
      }),
      context,
    ),
    sameNames: await sameNames(sight, ({ observer }) => observer.services, context),
    secret,
    nextSecret: await nextSecret(known, secretName, context),
    password: resource ? await passwordSight(object, secret.name, connectionSecret, context) : { state: 'asItIs' },
    passwordUnansweredAt: unansweredAt(sight, connectionSecret, context),
    connection: connectionOf(object, resource, context),
  });
}

/** A service in state DELETED counts as gone. */
function unlessDeleted(seen: CloudSight<Service>): CloudSight<Service> {
  return seen.state === 'present' && seen.resource.status === 'DELETED' ? { state: 'absent', word: seen.resource.status } : seen;
}

function connectionOf(object: ManagedService, service: Service | undefined, { database }: View): Connection {
  const vpc = service ? vpcEndpointOf(service) : undefined;
  return {
    username: object.spec.connectionSecret?.username ?? database.user,
    database: object.spec.connectionSecret?.database ?? database.name,
    direct: service?.endpoint,
    pooler: service?.connection_pooler?.endpoint,
    vpc: vpc?.state === 'attached' ? { host: vpc.endpoint.host, port: vpc.endpoint.port } : undefined,
  };
}

/** The state, and the time when this process first saw it. */
function lastingState({ object, now }: ObjectSight, service: Service | undefined, { memory }: View) {
  const { state } = memory.known(object.kind, keyOf(object));
  const word = service?.status ?? '';
  return state?.word === word ? state : { word, since: now };
}

/** The later time of the one from this process and the one from an earlier process. */
function unansweredAt(sight: ObjectSight, secret: ConnectionSecret | undefined, { memory }: View): number | undefined {
  const { passwordUnansweredAt: own } = memory.known(sight.object.kind, keyOf(sight.object));
  const text = secret?.metadata.annotations?.[connectionAnnotations.passwordUnansweredAt];
  const noted = text === undefined ? undefined : writtenAt(sight, text);
  return noted === undefined ? own : Math.max(noted, own ?? noted);
}

const getIn =
  ({ project }: Account) =>
  (id: string): Promise<Service> =>
    project.getService(serviceId.parse(id));
