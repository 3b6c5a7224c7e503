import type { PeeringId, ServiceId, VpcId } from '../../cloud/wire/ids.ts';
import type { CreatePeering, CreateReplicaSet, CreateService, CreateVpc, ForkService } from '../../cloud/wire/requests.ts';
import type { CloudChange, CloudDeletion } from './cloud-change.ts';
import type { Connection, ConnectionWrite, WantedSecret } from './connection.ts';
import type { PasswordSource } from './password-origin.ts';
import type { ResourceRecord } from '../record/record.ts';

/** The request that creates a resource, without its name: the name may hold part of the attempt's id. */
export type Creation =
  | { readonly operation: 'createVpc'; readonly body: Omit<CreateVpc, 'name'> }
  | { readonly operation: 'createService'; readonly body: Omit<CreateService, 'name'> }
  | { readonly operation: 'forkService'; readonly sourceId: ServiceId; readonly body: Omit<ForkService, 'name'> }
  | { readonly operation: 'createReplicaSet'; readonly parentId: ServiceId; readonly body: Omit<CreateReplicaSet, 'name'> };

/** What a step changes, in the cloud or in Kubernetes. Each is carried out by a file of its own in act/. */
export type Action =
  | { readonly type: 'writeRecord'; readonly record: ResourceRecord }
  | { readonly type: 'adopt'; readonly id: string; readonly record: ResourceRecord }
  /** `secret`: its name, in the namespace of the object. */
  | { readonly type: 'holdCredentials'; readonly secret: string }
  | {
      readonly type: 'create';
      readonly creation: Creation;
      /** Fixed by the user, or made from the object's name and the attempt's id: then it is ours alone. */
      readonly name: { readonly kind: 'given'; readonly name: string } | { readonly kind: 'ours'; readonly prefix: string };
      readonly sameNameIds: readonly string[];
      /** Goes into the record together with the attempt. */
      readonly record: ResourceRecord;
      /** Goes into the record together with the id. */
      readonly recordOnSuccess: Partial<ResourceRecord>;
      /** Where the password goes that the cloud answers with; undefined for a kind without one. */
      readonly passwordTo?: { readonly origin: string } & Pick<ConnectionWrite, 'secret' | 'connection'>;
    }
  /** Writes down that a deletion was decided, before the first thing that goes. */
  | { readonly type: 'startDeletion'; readonly id: string; readonly record: ResourceRecord }
  /** `record` is written first, and says that the deletion was decided; undefined where that is written down already. */
  | ({ readonly type: 'delete'; readonly record: ResourceRecord | undefined } & CloudDeletion)
  | {
      readonly type: 'change';
      readonly change: CloudChange;
      /** The value before, and the value asked for, as people read them. */
      readonly from: string;
      readonly wanted: string;
      /** `resize the service to 2000 millicores, 8 GB`, for `the cloud refused to …`. */
      readonly request: string;
      /** What a person can do about a refusal: `change spec.name`. */
      readonly remedy: string;
    }
  /** `record`: as it is before; what is asked for is written into it first. */
  | {
      readonly type: 'createPeering';
      readonly vpcId: VpcId;
      readonly key: string;
      readonly request: CreatePeering;
      readonly record: ResourceRecord;
    }
  | { readonly type: 'deletePeering'; readonly vpcId: VpcId; readonly key: string; readonly id: PeeringId }
  | ({ readonly type: 'storeConnection' } & ConnectionWrite)
  | { readonly type: 'remakeConnection'; readonly secret: WantedSecret }
  /** `record` is written once the Secret of the new name is complete. */
  | ({ readonly type: 'moveConnection'; readonly to: string; readonly record: ResourceRecord } & ConnectionWrite)
  /** `record` forgets the name, once the Secret is gone; undefined where it does not have that name. */
  | { readonly type: 'dropConnection'; readonly name: string; readonly record: ResourceRecord | undefined }
  /** Notes where the password comes from, without setting it. */
  | ({ readonly type: 'notePassword'; readonly origin: string } & ConnectionWrite)
  | { readonly type: 'watchPasswordSource'; readonly source: PasswordSource }
  | {
      readonly type: 'setPassword';
      readonly id: ServiceId;
      readonly origin: string;
      /** Undefined: the operator makes one. `edited`: somebody wrote it into the connection Secret. */
      readonly source: PasswordSource | 'edited' | undefined;
      /** Origin of the pending password that this one replaces. The cloud refused it, and an earlier send can no longer take effect. */
      readonly givesUp?: string;
      readonly secret: WantedSecret;
      readonly connection: Connection;
      /** A lost resource whose place this one took: a password on its way to that one goes. */
      readonly replaces: string | undefined;
      /** Written once the connection Secret has the password: whoever asks for one makes it ours to keep. Undefined where the record says so. */
      readonly record: ResourceRecord | undefined;
    };
