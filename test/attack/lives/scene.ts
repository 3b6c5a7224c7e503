import type { World } from '../../support/world.ts';
import type { Allowance } from './allowance.ts';
import type { Crew } from './crew.ts';
import type { Life, Name } from './life.ts';
import type { AnyObject, People } from './people.ts';

/** One life while it is lived. */
export interface Scene {
  readonly life: Life;
  readonly world: World;
  readonly people: People;
  readonly crew: Crew;
  readonly allowed: Allowance;
  /** What the bystanders looked like in the beginning. */
  readonly bystanders: readonly string[];
  /** What was deleted, as it was then: a restore starts from it. */
  readonly saved: Map<Name, AnyObject>;
  readonly tell: (words: string) => void;
}
