import { at, isList, isSame, textAt, type Json } from './json.ts';
import { customKinds, type Kind, namespaces } from './kinds.ts';
import { isAllowed } from './rights.ts';
import type { StoredObject } from './stored-object.ts';

/** A write, as the admission policies see it. */
export interface Admission {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly kind: Kind;
  /** Undefined for a deletion. */
  readonly object: StoredObject | undefined;
  /** Undefined for a create. */
  readonly before: StoredObject | undefined;
  readonly user: string;
  readonly fieldManager: string;
  /** The custom objects in the namespace that a request deletes. */
  readonly inside: readonly StoredObject[];
}

interface Policy {
  /** The name of the ValidatingAdmissionPolicy in the chart. */
  readonly name: string;
  isAbout(admission: Admission): boolean;
  /** The reason of a refusal; undefined to allow the write. */
  refuses(admission: Admission): string | undefined;
}

const finalizer = 'managed-db.io/cloud-resource';

const isWritten = ({ operation, kind }: Admission) => operation !== 'DELETE' && kind.isCustom;
const isDeleted = ({ operation, kind }: Admission) => operation === 'DELETE' && kind.isCustom;
const isNamespaceDeleted = ({ operation, kind }: Admission) =>
  operation === 'DELETE' && kind === namespaces;

function mayAdopt({ user, kind, object }: Admission): boolean {
  const { namespace, name } = object?.metadata ?? {};
  return isAllowed(user, {
    verb: 'adopt',
    group: kind.group,
    resource: kind.plural,
    namespace,
    name,
  });
}

function environmentOf(object: StoredObject): string {
  return (
    textAt(object, 'spec', 'environment') ??
    (textAt(object, 'status', 'onDelete') === 'Protected'
      ? 'PROD'
      : (textAt(object, 'status', 'service', 'metadata', 'environment') ??
        textAt(object, 'status', 'replicaSet', 'metadata', 'environment') ??
        ''))
  );
}

function isProtected(object: StoredObject): boolean {
  const isKept =
    at(object, 'spec', 'deletionPolicy') === 'Retain' ||
    at(object, 'spec', 'managementPolicy') === 'Observe' ||
    (at(object, 'status', 'onDelete') === 'Retain' &&
      (at(object, 'status', 'observedGeneration') ?? 0) === object.metadata.generation);
  const isAskedFor = at(object, 'spec', 'deletionProtection') ?? environmentOf(object) === 'PROD';
  return !isKept && isAskedFor === true;
}

const annotation = (object: StoredObject | undefined, name: string) =>
  object?.metadata.annotations?.[`managed-db.io/${name}`] ?? '';
const isHeld = (object: StoredObject | undefined) =>
  object?.metadata.finalizers?.includes(finalizer) === true;
const rawIds = (object: StoredObject | undefined): readonly Json[] =>
  [
    at(object, 'spec', 'serviceId'),
    at(object, 'spec', 'vpcId'),
    at(object, 'spec', 'fork', 'serviceId'),
  ].map((id) => id ?? null);

/** The policies of the chart that concern the kinds of the server, in the order of their names. */
const policies: readonly Policy[] = [
  {
    name: 'managed-db-adoption',
    isAbout: isWritten,
    refuses(admission) {
      const { object, before } = admission;
      const id = annotation(object, 'external-id');
      if (!['', annotation(before, 'external-id')].includes(id) && !mayAdopt(admission))
        return 'managed-db.io/external-id needs the verb adopt';
      const ids = rawIds(object);
      const hasIds = ids.some((each) => each !== null);
      const areSame =
        before !== undefined &&
        at(before, 'spec', 'credentialsRef') === undefined &&
        isSame(ids, rawIds(before));
      const hasOwnKey = at(object, 'spec', 'credentialsRef') !== undefined;
      return !hasIds || areSame || hasOwnKey || mayAdopt(admission)
        ? undefined
        : 'serviceId and vpcId need the verb adopt';
    },
  },
  {
    name: 'managed-db-deletion-protection',
    isAbout: isDeleted,
    refuses: ({ before }) =>
      before && isProtected(before) && before.metadata.deletionTimestamp === undefined
        ? `${before.kind} ${before.metadata.namespace ?? ''}/${before.metadata.name} is protected from deletion`
        : undefined,
  },
  {
    name: 'managed-db-finalizers',
    isAbout: isDeleted,
    refuses({ before }) {
      if (!before || before.metadata.deletionTimestamp !== undefined || isHeld(before))
        return undefined;
      const conditions = at(before, 'status', 'conditions');
      const isUnbound =
        isList(conditions) &&
        conditions.some(
          (each) =>
            at(each, 'type') === 'Ready' &&
            ['NotBound', 'OwnedElsewhere'].includes(textAt(each, 'reason') ?? ''),
        );
      return at(before, 'status', 'id') === undefined || isUnbound
        ? undefined
        : `${before.kind} ${before.metadata.name} has lost the finalizer ${finalizer}`;
    },
  },
  {
    name: 'managed-db-ledger',
    isAbout: isWritten,
    refuses(admission) {
      const { object, before, fieldManager } = admission;
      const entry = annotation(object, 'ledger');
      if (!['', annotation(before, 'ledger')].includes(entry) && !mayAdopt(admission))
        return 'the annotation managed-db.io/ledger is written by the operator';
      const isByHand = ['kubectl-patch', 'kubectl-edit'].includes(fieldManager);
      const isOurs = fieldManager === 'managed-db-operator' && mayAdopt(admission);
      return isHeld(before) && !isHeld(object) && !isByHand && !isOurs
        ? `keep the finalizer ${finalizer}`
        : undefined;
    },
  },
  {
    name: 'managed-db-ledger-namespace',
    isAbout: isNamespaceDeleted,
    refuses({ before }) {
      const { name, labels, annotations, deletionTimestamp } = before?.metadata ?? {};
      const isLedger = name === 'managed-db-ledger' || labels?.['managed-db.io/ledger'] === 'true';
      const isAskedFor = annotations?.['managed-db.io/allow-ledger-deletion'] !== undefined;
      return isLedger && !isAskedFor && deletionTimestamp === undefined
        ? 'this namespace has the passwords of all databases'
        : undefined;
    },
  },
  // managed-db-namespaces-managedvpcs and managed-db-namespaces-readreplicasets are the same policy for the other kinds.
  {
    name: 'managed-db-namespaces',
    isAbout: isNamespaceDeleted,
    refuses({ inside }) {
      const held = inside.find(isProtected);
      return held && `this namespace holds the protected ${held.kind} ${held.metadata.name}`;
    },
  },
];

/** The message of the first policy that refuses a write. Undefined if all policies allow it. */
export function refusalOf(admission: Admission): string | undefined {
  for (const policy of policies) {
    if (!policy.isAbout(admission)) continue;
    const reason = policy.refuses(admission);
    if (reason !== undefined)
      return `ValidatingAdmissionPolicy '${policy.name}' with binding '${policy.name}' denied request: ${reason}`;
  }
  return undefined;
}

/** The custom objects in a namespace. @param all the objects of a kind */
export function customObjectsIn(
  namespace: string,
  all: (kind: Kind) => readonly StoredObject[],
): readonly StoredObject[] {
  return customKinds.flatMap((kind) =>
    all(kind).filter(({ metadata }) => metadata.namespace === namespace),
  );
}
