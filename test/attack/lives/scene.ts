import type { World } from '../../support/world.ts';
import type { Allowance } from './allowance.ts';
import type { Crew } from './crew.ts';
import type { Life, Name } from './life.ts';
import type { AnyObject, People } from './people.ts';

/** A life in progress. */
export interface Scene {
  readonly life: Life;
  readonly world: World;
  readonly people: People;
  readonly crew: Crew;
  readonly allowed: Allowance;
  /** The ids of the bystanders. */
  readonly bystanders: readonly string[];
  /** Each deleted object as of its deletion: a restore starts from it. */
  readonly saved: Map<Name, AnyObject>;
  readonly tell: (words: string) => void;
}
