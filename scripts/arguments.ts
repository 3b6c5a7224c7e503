import { parseArgs, type ParseArgsConfig } from 'node:util';

/**
 * The arguments of a script. A script that gets `--help`, or an unknown argument, prints the reason and ends. @param
 * usage ends without a line break
 */
export function argumentsOf<const T extends NonNullable<ParseArgsConfig['options']>>(
  usage: string,
  options: T,
): ReturnType<
  typeof parseArgs<{
    options: T & { help: { type: 'boolean'; short: 'h' } };
    allowPositionals: true;
  }>
> {
  try {
    const given = parseArgs({
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    if (!process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h'))
      return given;
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  } catch (error) {
    // Node's message about an argument is a single line, and complete.
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`);
    process.exit(2);
  }
}
