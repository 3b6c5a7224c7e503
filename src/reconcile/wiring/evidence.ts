import type { Attempt } from '../../resources/ledger-entry.ts';
import { keyOf, type ResourceKey } from '../../runtime/index.ts';
import { attemptName } from '../ledger/attempt.ts';
import type { EntryObject } from '../ledger/entry.ts';

/**
 * A resource, or a create without an answer, that the ledger does not have any more, since another client removed the
 * entry by force.
 */
export interface Lost {
  /** For a create without an answer, the id of the attempt. */
  readonly id: string;
  /** The name that the create requested. Undefined if the id of the resource is known. */
  readonly asked?: string;
  readonly projectId: string;
}

/** An object, which may be gone. */
type Named = Pick<EntryObject, 'kind' | 'metadata'>;

/**
 * The facts about objects that this process knows from its own writes and watches, and that ledger and status do not
 * show yet. Unlike the memory of visits, a bug in a visit never ends them. They end with their object: a later object of
 * the same name has none.
 */
export interface Evidence {
  lostBy(object: Named): Lost | undefined;
  /** Notes that the ledger lost the resource or create of the object. It replaces an earlier note. */
  noteLost(object: Named, lost: Lost): void;
  /** Ends {@link noteLost}: the ledger has a resource or create of the object again. */
  noteFound(object: Named): void;
  /**
   * Whether this process knows that the attempt made nothing: it never sent the request, or the cloud refused it. The
   * ledger may still have it as an open create.
   */
  madeNothing(object: Named, attempt: Attempt): boolean;
  /** It also ends {@link noteLost} about the attempt. */
  noteMadeNothing(object: Named, attempt: Attempt): void;
  /** Whether this process released the object, or is about to. */
  isReleased(object: Named): boolean;
  noteReleased(object: Named): void;
  /** Drops all facts about the object of this name, which is gone or is another process's. */
  forget(kind: string, key: ResourceKey): void;
}

interface Facts {
  readonly uid: string;
  readonly lost?: Lost | undefined;
  /** The id of the last attempt that made nothing. */
  readonly vainAttempt?: string;
  readonly isReleased?: true;
}

/** Makes the empty evidence of a new process. */
export function evidence(): Evidence {
  const facts = new Map<string, Facts>();
  const factsOf = (object: Named): Facts | undefined => {
    const known = facts.get(nameOf(object));
    return known?.uid === object.metadata.uid ? known : undefined;
  };
  const note = (object: Named, more: Omit<Facts, 'uid'>) => {
    const { uid } = object.metadata;
    facts.set(nameOf(object), { ...factsOf(object), uid, ...more });
  };
  return {
    lostBy: (object) => factsOf(object)?.lost,
    noteLost: (object, lost) => note(object, { lost }),
    noteFound(object) {
      if (factsOf(object)?.lost) note(object, { lost: undefined });
    },
    madeNothing: (object, { id }) => factsOf(object)?.vainAttempt === id,
    noteMadeNothing(object, { id }) {
      note(object, { vainAttempt: id });
      if (factsOf(object)?.lost?.id === id) note(object, { lost: undefined });
    },
    isReleased: (object) => factsOf(object)?.isReleased === true,
    noteReleased: (object) => note(object, { isReleased: true }),
    forget: (kind, key) => void facts.delete(`${kind}/${key}`),
  };
}

/** The create of a removed ledger entry, whose answer this process does not know. */
export function lostCreate(attempt: Attempt, projectId: string): Lost {
  return { id: attempt.id, asked: attemptName(attempt), projectId };
}

function nameOf(object: Named): string {
  return `${object.kind}/${keyOf(object)}`;
}
