export const annotations = {
  /** The name of the object's ledger entry, for people and restores. The operator sets it; other users need the verb `adopt`. */
  ledger: 'managed-db.io/ledger',
  /** Set by a user: the id of the cloud resource that this object adopts. */
  externalId: 'managed-db.io/external-id',
  /** Set by a user: an existing resource of the same name is a different resource, so a new resource may be created. */
  createAnyway: 'managed-db.io/create-anyway',
  /** Set by a user: a new, empty resource may replace the lost resource with this id. */
  allowRecreate: 'managed-db.io/allow-recreate',
  /** Set by a user: until this time, a service with running hours runs outside of them, too. RFC 3339. */
  awakeUntil: 'managed-db.io/awake-until',
  /** Set by a user: any new text requests a reconcile; status.lastHandledReconcileAt answers it. */
  requestedAt: 'reconcile.managed-db.io/requestedAt',
} as const;

/** Annotations of a Namespace, with rules for changes in it. A user sets them who has the verb `approve` there. */
export const namespaceAnnotations = {
  /** Weekly windows, separated by commas. Outside of them, disruptive changes wait. */
  changeWindows: 'managed-db.io/change-windows',
  /** `Required`: a disruptive change waits for a person's approval. */
  changeApproval: 'managed-db.io/change-approval',
} as const;

/**
 * The start of the annotations with which a person approves a held change: the operation follows, such as
 * `approval.managed-db.io/resizeService`. The value is the change in words, as in `status.heldChanges`. A user sets
 * them who has the verb `approve` on the object; the operator only removes them.
 */
export const approvalPrefix = 'approval.managed-db.io/';
/** The end of an approval that ignores the change windows, too. */
export const approvalNow = '; now';

/** Keeps an object until its cloud resource is gone or released. */
export const cloudResourceFinalizer = 'managed-db.io/cloud-resource';

/** Label of connection Secrets. The value is `true`. They have no finalizer: the operator computes them again from the ledger. */
export const connectionLabel = 'managed-db.io/connection';

/** Finalizer and label of credentials Secrets in use. The value of the label is `true`, or `password` on a user's Secret with a password. */
export const credentialsFinalizer = 'managed-db.io/credentials';
export const credentialsLabel = 'managed-db.io/credentials';

/** Name and text of an annotation, as a key. */
export function annotationKey(name: string, text: string): string {
  return `${name} ${text}`;
}

/** The id in the annotation `external-id`. An empty text names no resource. */
export function externalIdIn({
  metadata: { annotations: texts },
}: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}): string | undefined {
  return texts?.[annotations.externalId] || undefined;
}
