import { parseArgs, type ParseArgsConfig } from 'node:util';

/** What a script was given; one that is asked for help, or given what it does not understand, says so and ends. @param usage ends without a line break */
export function argumentsOf<const T extends NonNullable<ParseArgsConfig['options']>>(
  usage: string,
  options: T,
): ReturnType<typeof parseArgs<{ options: T & { help: { type: 'boolean'; short: 'h' } }; allowPositionals: true }>> {
  try {
    const given = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } }, allowPositionals: true });
    if (!process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) return given;
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  } catch (error) {
    // What Node says of an argument is one line, and all that there is to say.
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`);
    process.exit(2);
  }
}
