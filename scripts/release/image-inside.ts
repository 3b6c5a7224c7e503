import { mkdir, writeFile } from 'node:fs/promises';
import { terminalProgress } from '../../test/control-plane/progress.ts';
import { state } from '../../test/node/cache.ts';
import { makeOperatorImage, pushOperatorImage } from '../../test/node/images.ts';
import { mountPackages } from '../../test/node/namespaces.ts';

// Runs as root in a mount and PID namespace, which the dry run makes: builds the image by the Dockerfile, pushes it, and writes its digest.
//
//     image-inside.ts DESTINATION FILE LABEL ...

const [destination = '', file = '', ...labels] = process.argv.slice(2);
await mountPackages();
await mkdir(state, { recursive: true });
await makeOperatorImage(terminalProgress(process.stderr), labels);
await writeFile(file, await pushOperatorImage(destination));
