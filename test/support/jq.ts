import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { raw } from 'jq-wasm';

/** jq for the commands of pages, on machines that have none: flags, a filter, and a file or standard input. */

const words = process.argv.slice(2);
const flags = words.filter((word) => word.startsWith('-'));
const [filter = '.', file] = words.filter((word) => !word.startsWith('-'));
const input = file === undefined ? await text(process.stdin) : await readFile(file, 'utf8');
const { stdout, stderr, exitCode } = await raw(input, filter, flags);
// The package cuts off the last line break, without which `read` of a shell misses the last line.
process.stdout.write(stdout === '' ? '' : `${stdout}\n`);
process.stderr.write(stderr);
process.exitCode = exitCode;
