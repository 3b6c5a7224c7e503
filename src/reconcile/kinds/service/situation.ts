import type { Shown } from '../../decide/pending-change.ts';
import type { Existing, Missing } from '../../decide/phase.ts';
import type { ServiceId, VpcId } from '../../../cloud/wire/ids.ts';
import type { Service } from '../../../cloud/wire/service.ts';
import type { ManagedService } from '../../../resources/managed-service.ts';
import type { Connection } from '../../step/connection.ts';
import type { SecretSight } from '../../situation/secret-sight.ts';
import type { Reference } from '../../situation/cloud-sight.ts';
import type { PasswordSight } from './password-sight.ts';
import type { Situation } from '../../situation/situation.ts';

/** What the rules of a ManagedService decide by. */
export interface ServiceSituation extends Situation<Service> {
  readonly object: ManagedService;
  /** The id of the VPC that the service is attached to, `none`, or undefined when that cannot be told. */
  readonly attachment: string | undefined;
  /** Policy time since when the service has been in its state, as far as this process saw. */
  readonly stateSince: number;
  /** The VPC that the spec asks for. */
  readonly vpc: Reference<VpcId>;
  /** The service that the spec asks to be forked. */
  readonly forkSource: Reference<ServiceId>;
  readonly secret: SecretSight;
  /** What the spec asks of the password. */
  readonly password: PasswordSight;
  /** Policy time at which a call that set the password was last left unanswered. */
  readonly passwordUnansweredAt: number | undefined;
  /** What the connection Secret should say, as far as the cloud has said it. */
  readonly connection: Connection;
}

export type ShownService = Shown<Service, ServiceSituation>;
export type MissingService = Missing<ServiceSituation>;
export type ExistingService = Existing<Service, ServiceSituation>;
