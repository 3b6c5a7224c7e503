import { definitions } from '../resources/definitions.ts';
import { isKind, resourceTypes, type Kind } from '../resources/managed-object.ts';
import { CommandError } from './error.ts';

/** Without a namespace: in that of the context. */
export interface Target {
  readonly kind: Kind;
  readonly name: string;
}

/** Such as `msvc`. */
export const shortNameOf: (kind: Kind) => string = (kind) =>
  resourceTypes[kind].described.shortName;

/** The words for each kind that kubectl takes, too. */
function namesOf({
  kind,
  plural,
  singular,
  shortName,
}: (typeof definitions)[number]): readonly string[] {
  return [shortName, singular, plural, kind.toLowerCase()];
}

/**
 * Reads `KIND/NAME...` or `KIND NAME...`.
 * @throws {CommandError} for a kind that does not exist, or a kind without a name
 */
export function targetsIn(words: readonly string[]): readonly Target[] {
  if (words.every((word) => word.includes('/'))) {
    return words.map((word) => {
      const [kind = '', name = ''] = word.split('/');
      if (name === '') throw new CommandError(`"${word}": must be KIND/NAME`);
      return { kind: kindNamed(kind), name };
    });
  }
  const [kind = '', ...names] = words;
  if (names.length === 0 || names.some((name) => name.includes('/')))
    throw new CommandError(`"${words.join(' ')}": must be KIND/NAME, or a kind and then names`);
  return names.map((name) => ({ kind: kindNamed(kind), name }));
}

/** @throws {CommandError} */
export function kindNamed(word: string): Kind {
  const wanted = word.toLowerCase().split('.')[0] ?? '';
  const kind = definitions.find((each) => namesOf(each).includes(wanted))?.kind;
  if (kind !== undefined && isKind(kind)) return kind;
  const all = definitions.map(({ shortName }) => shortName).join(', ');
  throw new CommandError(`"${word}": is no kind of the operator (${all})`);
}
