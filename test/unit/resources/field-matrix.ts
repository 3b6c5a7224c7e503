import { changed, takenOut, wrong, type Kind } from '../../integration/reconcile/refused-fields.ts';
import { kinds } from '../../../src/resources/managed-object.ts';

/** A cell: the title of the test that shows it, or why there is none. */
export type Cell = { readonly shownBy: string } | { readonly none: string };

/** A field's change in the manifest; its change in the cloud, by somebody else; its removal from the manifest; its refusal by the cloud. */
export type Row = readonly [change: Cell, drift: Cell, removal: Cell, refusal: Cell];

const by = (shownBy: string): Cell => ({ shownBy });
const none = (why: string): Cell => ({ none: why });

const notInCloud = none('the cloud knows nothing of it');
const neverDrifts = none('the cloud has no call that changes it');
const partOfCreation = by('a creation that the cloud refuses is told; an object that cannot be mended is deleted without a trace');

/** A field that the API server keeps as it was at creation. */
function fixed(kind: Kind, field: string): Row {
  return [
    by(`${kind}: another ${field} is refused by the API server`),
    neverDrifts,
    by(`${kind}: ${field} cannot be taken out`),
    partOfCreation,
  ];
}

/** The fields of one kind that stay as they are, each with its row. */
const fixedFields = (kind: Kind) => Object.fromEntries(changed[kind].map(([field]) => [field, fixed(kind, field)]));

const protection = 'deletionPolicy and deletionProtection: status.onDelete follows what is set, changed and taken out';
const observe = by(
  'managementPolicy: under Observe nothing is changed, neither a pending change nor a drift; taken out, the change is made',
);
const suspend = by('suspend: nothing is changed while it is true, what changes in the cloud still shows; taken out, all follows');
const otherKey = by('credentialsRef: another key of the project is used and held, the one before let go; taken out, the own key serves');

const everyKind: Readonly<Record<string, Row>> = {
  'credentialsRef.name': [
    otherKey,
    notInCloud,
    otherKey,
    by('credentialsRef: a key of another project, or no Secret of that name, stalls all and calls nothing; taken back, all goes on'),
  ],
  deletionPolicy: [by(protection), notInCloud, by(protection), notInCloud],
  deletionProtection: [
    by(protection),
    notInCloud,
    by('deletionProtection: an object that is being deleted stays while it is true, says so, and goes when it is taken out'),
    notInCloud,
  ],
  managementPolicy: [observe, notInCloud, observe, notInCloud],
  suspend: [suspend, notInCloud, suspend, notInCloud],
};

const peerings: Row = [
  by('peerings follow the manifest: one more, another, none; what was there before is left'),
  by('a peering that somebody removed is told, and made again by taking it out and in'),
  by('peerings follow the manifest: one more, another, none; what was there before is left'),
  by('a refused peering says what the cloud said, and the next manifest mends it'),
];

const vpc: Readonly<Record<string, Row>> = {
  ...everyKind,
  ...fixedFields('ManagedVpc'),
  name: [
    by('a VPC is renamed, also back when somebody renames it elsewhere'),
    by('a name that somebody changed elsewhere is told with old and new, and put right'),
    by('a name that is taken out of the manifest stays, and what somebody makes of it then is told and left'),
    by('a rename that the cloud refuses is told, and peerings follow the manifest all the same'),
  ],
  'peerings[].peerAccountId': peerings,
  'peerings[].peerRegionCode': peerings,
  'peerings[].peerVpcId': peerings,
};

/** What a running service takes: `field` as the tests of its changes call it, `drift` as those of its drift do. */
function changeable(field: string, drift = field): Row {
  return [
    by(`${field}: a new value is asked for once and then shown`),
    by(`${drift}: what somebody changed elsewhere is told with old and new; the spec names it, so it is put right`),
    by(`${field}: taken out of the manifest, the value stays as it is`),
    by(`${field}: a refusal says what the cloud said, is not repeated, and ends with the next spec`),
  ];
}

const secretsMove = by('connectionSecret.name: the Secret moves with its password, and back when the name is taken out');
const secretTexts: Row = [
  by('connectionSecret.labels and annotations: they are put on the Secrets, and put back when somebody takes them off'),
  by('connectionSecret.labels and annotations: they are put on the Secrets, and put back when somebody takes them off'),
  by('connectionSecret.labels and annotations: what leaves the manifest leaves the Secret'),
  notInCloud,
];
const secretUser = by(
  'connectionSecret.username and database: the Secret says them, is mended when edited, and goes back to what is usual',
);
const movesVpc = by('a service moves from one VPC to another, and out of it when the manifest no longer names one');
const vpcById = by('vpcId: a service is moved, put back when somebody detaches it, and detached when the manifest names no VPC');
const givenPassword = by('password.secretRef: another key or another Secret gives another password; taken out, the last one stays');
const passwordIsUnseen = none('the cloud never tells a password');

const service: Readonly<Record<string, Row>> = {
  ...everyKind,
  ...fixedFields('ManagedService'),
  cpuMillis: changeable('cpuMillis and memoryGbs'),
  memoryGbs: changeable('cpuMillis and memoryGbs'),
  environment: changeable('environment'),
  'connectionPooler.enabled': changeable('connectionPooler', 'connectionPooler.enabled'),
  'highAvailability.replicaCount': changeable('highAvailability', 'highAvailability.replicaCount'),
  'highAvailability.syncReplicaCount': changeable('highAvailability', 'highAvailability.syncReplicaCount'),
  powerState: [
    by('a service is stopped and started as the spec says, and what it cannot take while stopped follows'),
    by('powerState: what somebody changed elsewhere is told with old and new; the spec names it, so it is put right'),
    by('powerState: a service that somebody starts is stopped again, and what left the manifest stays stopped'),
    by('powerState: a stop or a start that the cloud refuses or cannot make now is told'),
  ],
  'vpcRef.name': [
    movesVpc,
    by('vpcRef: a service that somebody detaches is told and attached again, one that was moved comes back'),
    movesVpc,
    by('vpcRef: an attachment that the cloud refuses is told, and other changes are made all the same'),
  ],
  vpcId: [vpcById, vpcById, vpcById, by('vpcId: an id that nobody knows waits and says so, and other changes are made all the same')],
  'password.secretRef.name': [
    givenPassword,
    passwordIsUnseen,
    givenPassword,
    by("a user's Secret that is missing, or has no such key, is told of, and mended by the next apply"),
  ],
  'password.secretRef.key': [
    givenPassword,
    passwordIsUnseen,
    givenPassword,
    by("a user's Secret that is missing, or has no such key, is told of, and mended by the next apply"),
  ],
  'password.rotation': [
    by('a new text in rotation sets a new password, once, and replica sets follow'),
    passwordIsUnseen,
    by('rotation that is asked for later than the creation rotates; taken out, the password stays'),
    by('password.rotation: one that the cloud refuses is told, the old password goes on working, and the next text rotates'),
  ],
  'connectionSecret.name': [
    secretsMove,
    by('a connection Secret that somebody deletes is made again with the same password'),
    secretsMove,
    by('a new name that is taken leaves the Secret where it is'),
  ],
  'connectionSecret.username': [secretUser, secretUser, secretUser, notInCloud],
  'connectionSecret.database': [secretUser, secretUser, secretUser, notInCloud],
  'connectionSecret.labels': secretTexts,
  'connectionSecret.annotations': secretTexts,
};

/** What a running replica set takes. */
function changeableReplicas(field: string, drift: string, removal: Cell): Row {
  return [
    by(`a replica set takes a new ${field}, and is brought back when somebody changes it elsewhere`),
    by(`a replica set's ${drift} that somebody changed elsewhere is told with old and new, and put right`),
    removal,
    by(`a refused ${field} of a replica set says what the cloud said`),
  ];
}

const stays = by(
  "a replica set's environment and pooler stay when they are taken out, and what somebody makes of them then is told and left",
);
const kustomize = by('what kustomize writes into a ReplicaSet, and takes out again, changes nothing');
const replicaUser = by(
  'connectionSecret.username and database of a replica set: its Secret says them, and taken out, those of its service',
);
const userIsMended = by("connectionSecret.username and database: a replica set's Secret that somebody edits is mended");

const replicaSet: Readonly<Record<string, Row>> = {
  ...everyKind,
  ...fixedFields('ReplicaSet'),
  cpuMillis: changeableReplicas('cpuMillis and memoryGbs', 'cpuMillis and memoryGbs', by('ReplicaSet: cpuMillis cannot be taken out')),
  memoryGbs: changeableReplicas('cpuMillis and memoryGbs', 'cpuMillis and memoryGbs', by('ReplicaSet: memoryGbs cannot be taken out')),
  environment: changeableReplicas('environment', 'environment', stays),
  'connectionPooler.enabled': changeableReplicas('connectionPooler', 'connectionPooler.enabled', stays),
  'connectionSecret.name': [
    secretsMove,
    by("connectionSecret.name: a replica set's Secret that somebody deletes is made again"),
    secretsMove,
    by("connectionSecret.name: a replica set's Secret does not overwrite one that somebody made"),
  ],
  'connectionSecret.username': [replicaUser, userIsMended, replicaUser, notInCloud],
  'connectionSecret.database': [replicaUser, userIsMended, replicaUser, notInCloud],
  'connectionSecret.labels': secretTexts,
  'connectionSecret.annotations': secretTexts,
  selector: [kustomize, notInCloud, kustomize, notInCloud],
  template: [kustomize, notInCloud, kustomize, notInCloud],
};

/** Each field of each spec. */
export const fieldMatrix: Readonly<Record<Kind, Readonly<Record<string, Row>>>> = {
  ManagedVpc: vpc,
  ManagedService: service,
  ReplicaSet: replicaSet,
};

/** What the API server refuses is a table of its own, from which its tests are made: their titles. */
export const refusedByApiServer: ReadonlySet<string> = new Set(
  kinds.flatMap((kind) => [
    ...wrong[kind].map(([field]) => `${kind}: a wrong ${field} is refused by the API server`),
    ...changed[kind].map(([field]) => `${kind}: another ${field} is refused by the API server`),
    ...takenOut[kind].map(([field]) => `${kind}: ${field} cannot be taken out`),
  ]),
);
