import { changed, takenOut, wrong } from '../../integration/reconcile/refused-fields.ts';
import { serviceDrifts } from '../../support/service-values.ts';
import { kinds, type Kind } from '../../../src/resources/managed-object.ts';

/** A cell: the title of the test that shows it, or why there is none. */
export type Cell = { readonly shownBy: string } | { readonly none: string };

/**
 * A field's change in the manifest; its change in the cloud, by another client; its removal from the manifest; its
 * refusal by the cloud.
 */
export type Row = readonly [change: Cell, drift: Cell, removal: Cell, refusal: Cell];

const by = (shownBy: string): Cell => ({ shownBy });
const none = (why: string): Cell => ({ none: why });

const notInCloud = none('the cloud knows nothing of it');
const neverDrifts = none('the cloud has no call that changes it');
const partOfCreation = by(
  'a refused create is shown; an object that cannot be corrected is deleted without a trace',
);

/** A field that the API server keeps as it was at creation. */
function fixed(kind: Kind, field: string): Row {
  return [
    by(`${kind}: another ${field} is refused by the API server`),
    neverDrifts,
    by(`${kind}: ${field} cannot be removed`),
    partOfCreation,
  ];
}

/** The immutable fields of a kind, each with its row. */
const fixedFields = (kind: Kind) =>
  Object.fromEntries(changed[kind].map(([field]) => [field, fixed(kind, field)]));

const protection =
  'deletionPolicy and deletionProtection: status.onDelete follows a set, a changed and a removed value';
const observe = by(
  'managementPolicy: Observe stops pending changes and the correction of drift; when the field is removed, the change is made',
);
const suspend = by(
  'suspend: while it is true nothing is changed, and changes in the cloud are shown; when it is removed, pending changes are made',
);
const otherKey = by(
  'credentialsRef: another key of the project is used and held, and the previous one is released; when it is removed, the own key is used',
);

const windows = by(
  'changeWindows: a closed window holds a resize; when the field is removed, the resize is made',
);
const changeWindows: Row = [windows, notInCloud, windows, notInCloud];

const hours = by(
  'runningHours: a service is stopped outside of its hours, started by a wake, and left when a power state replaces the hours',
);
const runningHours: Row = [
  hours,
  by(
    'powerState: a change in the cloud is reported with old and new value; it is changed back, since the spec names the field',
  ),
  hours,
  by('powerState: a stop or a start that the cloud refuses or postpones is shown'),
];

const everyKind: Readonly<Record<string, Row>> = {
  'credentialsRef.name': [
    otherKey,
    notInCloud,
    otherKey,
    by(
      'credentialsRef: with a key of another project, or no such Secret, nothing is called; when it is changed back, work continues',
    ),
  ],
  deletionPolicy: [by(protection), notInCloud, by(protection), notInCloud],
  deletionProtection: [
    by(protection),
    notInCloud,
    by(
      'deletionProtection: a deleted object stays while it is true, says so, and disappears when it is removed',
    ),
    notInCloud,
  ],
  managementPolicy: [observe, notInCloud, observe, notInCloud],
  suspend: [suspend, notInCloud, suspend, notInCloud],
};

const peerings: Row = [
  by('peerings follow the spec when one is added, replaced and removed; an existing one is left'),
  by('a peering that another client removes in the cloud is requested again'),
  by('peerings follow the spec when one is added, replaced and removed; an existing one is left'),
  by("a refused peering shows the cloud's message, and the next spec ends it"),
];

const vpc: Readonly<Record<string, Row>> = {
  ...everyKind,
  ...fixedFields('ManagedVpc'),
  name: [
    by('a VPC is renamed, and renamed back when a user renames it in the cloud'),
    by(
      'a name that a user changes in the cloud is reported with old and new value, and changed back',
    ),
    by(
      'a name that is removed from the spec stays; a later change in the cloud is reported and left',
    ),
    by('a rename that the cloud refuses is shown, and peerings follow the spec'),
  ],
  'peerings[].peerAccountId': peerings,
  'peerings[].peerRegionCode': peerings,
  'peerings[].peerVpcId': peerings,
};

/**
 * A changeable field of a running service. `field` is its name in the tests of changes, `drift` its name in the
 * tests of drift.
 */
function changeable(field: string, drift: string): Row {
  return [
    by(`${field}: a new value is requested once, and then shown`),
    by(
      `${drift}: a change in the cloud is reported with old and new value; it is changed back, since the spec names the field`,
    ),
    by(`${field}: removed from the spec, the value stays`),
    by(
      `${field}: a refusal shows the cloud's message, is repeated only on request, and ends with the next spec`,
    ),
  ];
}

const secretsMove = by(
  'connectionSecret.name: the Secret moves with its password, and back when the name is removed',
);
const secretTexts: Row = [
  by(
    'connectionSecret.labels and annotations: they are set on the Secrets, and restored when a user removes them',
  ),
  by(
    'connectionSecret.labels and annotations: they are set on the Secrets, and restored when a user removes them',
  ),
  by(
    'connectionSecret.labels and annotations: a name that is removed from the spec stays on the Secret',
  ),
  notInCloud,
];
const secretUser = by(
  'connectionSecret.username and database: the Secret has them, is repaired when edited, and returns to the defaults',
);
const movesVpc = by('a service moves to another VPC, and is detached when the spec names none');
const vpcById = by(
  'vpcId: a service is moved, attached again when a user detaches it, and detached when the spec names no VPC',
);
const givenPassword = by(
  'password.secretRef: another key or Secret sets another password; when it is removed, the last password stays',
);
const passwordIsUnseen = none('the cloud never tells a password');

const service: Readonly<Record<string, Row>> = {
  ...everyKind,
  ...fixedFields('ManagedService'),
  changeWindows,
  runningHours,
  ...Object.fromEntries(
    serviceDrifts.flatMap((row) =>
      'of' in row
        ? row.field.split(' and ').map((field) => [field, changeable(row.of, row.field)])
        : [],
    ),
  ),
  powerState: [
    by(
      'a service is stopped and started as the spec says, and changes that a stopped service refuses follow later',
    ),
    by(
      'powerState: a change in the cloud is reported with old and new value; it is changed back, since the spec names the field',
    ),
    by(
      'powerState: a service that a user starts is stopped again, and stays stopped when the field is removed',
    ),
    by('powerState: a stop or a start that the cloud refuses or postpones is shown'),
  ],
  'vpcRef.name': [
    movesVpc,
    by(
      'vpcRef: a service that a user detaches is reported and attached again, and a service that a user moves is moved back',
    ),
    movesVpc,
    by('vpcRef: an attachment that the cloud refuses is shown, and other changes are made'),
  ],
  vpcId: [
    vpcById,
    vpcById,
    vpcById,
    by('vpcId: an unknown id is shown and waited for, and other changes are made'),
  ],
  'password.secretRef.name': [
    givenPassword,
    passwordIsUnseen,
    givenPassword,
    by("a user's Secret that is missing, or lacks the key, is shown, and the next apply ends it"),
  ],
  'password.secretRef.key': [
    givenPassword,
    passwordIsUnseen,
    givenPassword,
    by("a user's Secret that is missing, or lacks the key, is shown, and the next apply ends it"),
  ],
  'password.rotation': [
    by('a new rotation text sets a new password, once, and replica sets follow'),
    passwordIsUnseen,
    by(
      'a rotation text that is added after the creation rotates; when it is removed, the password stays',
    ),
    by(
      'password.rotation: a refused one is shown, the old password stays valid, and the next text rotates',
    ),
  ],
  'connectionSecret.name': [
    secretsMove,
    by('a deleted connection Secret is recreated with the same password'),
    secretsMove,
    by(
      'connectionSecret.name: a new name that a foreign Secret has leaves the Secret in its place',
    ),
  ],
  'connectionSecret.username': [secretUser, secretUser, secretUser, notInCloud],
  'connectionSecret.database': [secretUser, secretUser, secretUser, notInCloud],
  'connectionSecret.labels': secretTexts,
  'connectionSecret.annotations': secretTexts,
};

/** A changeable field of a running replica set. */
function changeableReplicas(field: string, drift: string, removal: Cell): Row {
  return [
    by(
      `a replica set takes a new ${field}, and is changed back when a user changes it in the cloud`,
    ),
    by(
      `a ${drift} of a replica set that a user changes in the cloud is reported with old and new value, and changed back`,
    ),
    removal,
    by(`a refused ${field} of a replica set shows the cloud's message`),
  ];
}

const stays = by(
  'environment and pooler of a replica set stay when they are removed from the spec; a later change in the cloud is reported and left',
);
const kustomize = by(
  'the fields that kustomize adds to a ReplicaSet, and removes again, change nothing',
);
const replicaUser = by(
  'connectionSecret.username and database of a replica set: its Secret has them, or those of its service when they are removed',
);
const userIsMended = by(
  'connectionSecret.username and database: an edited Secret of a replica set is repaired',
);

const replicaSet: Readonly<Record<string, Row>> = {
  ...everyKind,
  ...fixedFields('ReplicaSet'),
  changeWindows,
  cpuMillis: changeableReplicas(
    'cpuMillis and memoryGbs',
    'cpuMillis and memoryGbs',
    by('ReplicaSet: cpuMillis cannot be removed'),
  ),
  memoryGbs: changeableReplicas(
    'cpuMillis and memoryGbs',
    'cpuMillis and memoryGbs',
    by('ReplicaSet: memoryGbs cannot be removed'),
  ),
  environment: changeableReplicas('environment', 'environment', stays),
  'connectionPooler.enabled': changeableReplicas(
    'connectionPooler',
    'connectionPooler.enabled',
    stays,
  ),
  'connectionSecret.name': [
    secretsMove,
    by('connectionSecret.name: a deleted Secret of a replica set is recreated'),
    secretsMove,
    by('connectionSecret.name: the Secret of a replica set does not overwrite an existing one'),
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

/** The refusals of the API server have a separate table, from which the titles of their tests are made. */
export const refusedByApiServer: ReadonlySet<string> = new Set(
  kinds.flatMap((kind) => [
    ...wrong[kind].map(([field]) => `${kind}: a wrong ${field} is refused by the API server`),
    ...changed[kind].map(([field]) => `${kind}: another ${field} is refused by the API server`),
    ...takenOut[kind].map(([field]) => `${kind}: ${field} cannot be removed`),
  ]),
);
