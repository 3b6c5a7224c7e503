import { spawnSync } from 'node:child_process';
import { bundled } from './bundle.ts';
import { mutants } from './mutants.ts';
const [id = '', ...args] = process.argv.slice(2);
const m = mutants.filter((e) => e.id === id);
const program = await bundled('/tmp/w8/' + id, m);
spawnSync(process.execPath, [program, ...args], { stdio: 'inherit', timeout: 100_000 });
