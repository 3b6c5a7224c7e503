import type { Shown } from '../../decide/pending-change.ts';
import type { Existing, Missing } from '../../decide/rule.ts';
import type { ServiceId, Service } from '../../../cloud/wire/service.ts';
import type { VpcId } from '../../../cloud/wire/vpc.ts';
import type { ManagedService, ManagedServiceStatus } from '../../../resources/managed-service.ts';
import type { LedgerEntry } from '../../../resources/ledger-entry.ts';
import type { ConnectionWrite, PasswordSource } from '../../step/connection.ts';
import type { Facts, ObservedSecret, Reference, Situation } from '../../situation/situation.ts';

/** The password that the spec requests, with its origin: a text that changes with each request for another password. */
export type RequestedPassword =
  | { readonly state: 'asItIs' }
  | { readonly state: 'waiting'; readonly message: string }
  | { readonly state: 'refused'; readonly message: string }
  | { readonly state: 'rotated'; readonly origin: string }
  /**
   * The user's Secret has the password. `isWatched`: changes of the Secret wake this object. `unfit`: the reason not to
   * send the password, after `the password of Secret "mine"`.
   */
  | {
      readonly state: 'given';
      readonly origin: string;
      readonly source: PasswordSource;
      readonly isWatched: boolean;
      readonly unfit: string | undefined;
    };

/** The service as status shows it: the last reply of the cloud, with the names of status. */
export type Mirror = NonNullable<ManagedServiceStatus['service']>;

/** The facts about a service. */
export interface ServiceFacts extends Facts<Service> {
  readonly object: ManagedService;
  readonly vpc: Reference<VpcId>;
  readonly forkSource: Reference<ServiceId>;
  readonly secret: ObservedSecret;
  readonly password: RequestedPassword;
  readonly passwordUnansweredAt: number | undefined;
  /** The resourceVersion of the ledger entry whose next password this process wrote, and has not sent. */
  readonly neverSent: string | undefined;
  readonly entry: LedgerEntry | undefined;
  /** Before its resource and password are known. */
  readonly wantedSecret: Omit<ConnectionWrite, 'resource' | 'password'>;
}

/** The situation of a service. */
export interface ServiceSituation extends ServiceFacts, Situation<Service> {
  readonly object: ManagedService;
  readonly secret: ObservedSecret;
  readonly mirror: Mirror | undefined;
  /** The id of the VPC that the service is attached to, `none`, or undefined if unknown. */
  readonly attachment: string | undefined;
}

/** The situation of a service that the cloud shows, for its changes. */
export type ShownService = Shown<Service, ServiceSituation>;
/** The situation of a service that was not created, is lost, or cannot be read. */
export type MissingService = Missing<ServiceSituation>;
/** The situation of a service that the cloud shows, for its rules. */
export type ExistingService = Existing<Service, ServiceSituation>;
