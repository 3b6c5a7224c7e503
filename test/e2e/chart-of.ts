import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes a chart that has nothing but these manifests. @returns its folder */
export async function chartOf(
  folder: string,
  name: string,
  manifests: readonly object[],
): Promise<string> {
  const chart = join(folder, name);
  await mkdir(join(chart, 'templates'), { recursive: true });
  await writeFile(join(chart, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 0.1.0\n`);
  await writeFile(
    join(chart, 'templates/all.yaml'),
    manifests.map((each) => JSON.stringify(each)).join('\n---\n'),
  );
  return chart;
}
