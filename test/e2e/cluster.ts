import { setTimeout as pause } from 'node:timers/promises';
import { startSimulator } from '../../src/simulator/simulator.ts';
import type { Project } from '../../src/simulator/project.ts';
import { startControlPlane, type ControlPlane } from '../control-plane/control-plane.ts';
import { kubectl } from '../control-plane/kubectl.ts';
import { apiServer, type ApiServer } from '../integration/crds/api-server.ts';
import { chart, helm } from '../support/helm.ts';
import { buildImage } from '../support/image.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startKubelet, type Kubelet } from './kubelet.ts';

/** A separate cluster that runs Pods, with nothing installed; and a cloud. */
export interface E2eCluster extends AsyncDisposable {
  readonly plane: ControlPlane;
  readonly kubelet: Kubelet;
  readonly project: Project;
  readonly cloudUrl: string;
  /** @throws {Error} with kubectl's own words */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  readonly server: ApiServer;
  /** `install NAME` or `upgrade NAME`, and waits until it works. @param from default: the chart of this clone. @throws {Error} with helm's own words */
  helmChart(
    args: readonly string[],
    namespace: string,
    values: object,
    from?: string,
  ): Promise<string>;
  helm(args: readonly string[], namespace: string): Promise<string>;
  /**
   * Changes that the cloud carried out, and change requests that arrived. A lost answer or a repeated call makes
   * the numbers differ.
   */
  mutations(): { readonly carriedOut: number; readonly asked: number };
}

export async function startCluster(): Promise<E2eCluster> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const simulator = stack.use(await startSimulator({ latencyMs: 300 }));
  const plane = stack.use(await startControlPlane({ workloads: true, audit: true }));
  const { handle } = plane;
  const image = await buildImage(folder.path);
  const kubelet = stack.use(startKubelet(handle, image, folder.path));
  const project = simulator.addProject();
  const whole = stack.move();
  const wait = ['--wait', '--timeout', '120s'];
  const runHelm = async (args: readonly string[], values?: object): Promise<string> => {
    const { stdout, stderr, code } = await helm(handle, args, values);
    const crashes = kubelet.crashes.join('\n');
    if (code !== 0)
      throw new Error(
        `helm ${args.join(' ')}: ${stderr}\n${crashes}\n${kubelet
          .pods()
          .map((pod) => pod.output().slice(-1_000))
          .join('\n')}`,
      );
    return stdout;
  };
  return {
    plane,
    kubelet,
    project,
    cloudUrl: simulator.url,
    async kubectl(args, input) {
      const { stdout, stderr, code } = await kubectl(
        handle,
        args,
        input === undefined ? {} : { input },
      );
      if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
      return stdout;
    },
    server: apiServer(handle),
    helmChart: (args, namespace, values, from = chart) =>
      runHelm([...args, from, '--namespace', namespace, ...wait], values),
    helm: (args, namespace) => runHelm([...args, '--namespace', namespace]),
    mutations() {
      return { carriedOut: changesIn(project.commits), asked: changesIn(project.calls) };
    },
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}

function changesIn(counts: ReadonlyMap<string, number>): number {
  return [...counts]
    .filter(([operation]) => !/^(?:get|list)/u.test(operation))
    .reduce((total, [, count]) => total + count, 0);
}

/** Looks until the condition holds. A cluster that starts processes takes longer than parts inside a single process. */
export async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  await found(what, async () => ((await isSo()) ? true : undefined));
}

/** As {@link eventually}, for something that is not there yet. */
export async function found<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (performance.now() > deadline) throw new Error(`waited for ${what} in vain`);
    await pause(100);
  }
}
