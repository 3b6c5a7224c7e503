/** Annotations on the objects of the three kinds. */
export const annotations = {
  /** Journal and claim; written by the operator alone. */
  record: 'managed-db.io/record',
  /** A user names the cloud resource that this object shall take over. */
  externalId: 'managed-db.io/external-id',
  /** A user says that a resource of the same name is not the one that is meant. */
  createAnyway: 'managed-db.io/create-anyway',
  /** A user says that nobody else manages this id any more, and that this very object does: `<id> <uid>`. Taken off when it was heard. */
  takeOver: 'managed-db.io/take-over',
  /** A user says that a new, empty resource may stand in for the lost one of this id. */
  allowRecreate: 'managed-db.io/allow-recreate',
  /** For people: the id whose DELETE was decided, and the uid of the object that decided it. What counts is the record. */
  deletionStarted: 'managed-db.io/deletion-started',
  /** Sync now: any new text; answered by status.lastHandledReconcileAt. */
  requestedAt: 'reconcile.managed-db.io/requestedAt',
} as const;

/** Holds an object until its cloud resource is gone or let go. */
export const cloudResourceFinalizer = 'managed-db.io/cloud-resource';

/** Finalizer and label of the Secrets that apps connect with. The label's value is `true`. */
export const connectionFinalizer = 'managed-db.io/connection';
export const connectionLabel = 'managed-db.io/connection';

/** Finalizer and label of the Secrets with an API key that is in use: then the label's value is `true`. A Secret with a password of the user's has `password`. */
export const credentialsFinalizer = 'managed-db.io/credentials';
export const credentialsLabel = 'managed-db.io/credentials';
