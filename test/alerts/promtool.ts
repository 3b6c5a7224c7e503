import { fileURLToPath } from 'node:url';
import { goProgram } from '../control-plane/go-program.ts';
import type { Progress } from '../control-plane/progress.ts';

/**
 * The path of Prometheus' own promtool: `$PROMTOOL`, or built once, in the version of go.mod, into the cache.
 * @throws {Error} when there is no Go to build it with, or the build fails
 */
export async function promtool(progress: Progress): Promise<string> {
  const given = process.env['PROMTOOL'];
  if (given) return given;
  return goProgram(
    {
      module: fileURLToPath(new URL('.', import.meta.url)),
      package: 'github.com/prometheus/prometheus/cmd/promtool',
      usually: '5 to 15 min',
    },
    progress,
  );
}
