import { streamsLists } from '../support/older-kubernetes.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Agent } from 'undici';
import { customResourceDefinitions } from '../../src/reconcile/wiring/custom-resource-definition.ts';
import { scale } from '../attack/scale.ts';
import { inParallel } from '../support/in-parallel.ts';
import { endingOf, play, TimedOut } from './differential/play.ts';
import { randomSteps } from './differential/random-steps.ts';
import { memory, real, realAgent } from './differential/servers.ts';
import { shrunken } from './differential/shrunken.ts';
import { described } from './differential/step.ts';

const stepsOfSequence = 40;
const atOnce = 6;

let agent: Agent;
beforeAll(() => void (agent = realAgent()));
afterAll(async () => agent.destroy());

/** `npm test` always runs the same sequences: its result belongs to the change that it tests. */
function seeds(): readonly number[] {
  const {
    isWhole,
    seed = isWhole ? Math.floor(Math.random() * 1_000_000_000) : 1,
    sequences = isWhole ? 500 : 20,
  } = scale;
  return Array.from({ length: sequences }, (_, index) => seed + index);
}

// The API server in memory streams its lists.
test.runIf(streamsLists)(
  'the API server in memory answers random sequences of calls and watches as the real API server does',
  { timeout: 24 * 3_600_000 },
  async () => {
    const server = real(agent);
    const failures: string[] = [];
    let calls = 0;
    const [first = 0, ...more] = seeds();
    await inParallel([first, ...more], atOnce, async (seed) => {
      const steps = randomSteps(seed, stepsOfSequence);
      const ending = endingOf(seed);
      const once = () => play(server, steps, ending);
      const result = await once()
        .catch((error: unknown) => again(error, once))
        .catch((error: unknown) => String(error));
      if (typeof result === 'string') {
        failures.push(`sequence ${seed} could not be compared: ${result}`);
        process.stderr.write(`${failures.at(-1) ?? ''}\n`);
        return;
      }
      const { calls: played, difference } = result;
      calls += played;
      if (!difference) return;
      const { steps: few, difference: found } = await shrunken(server, steps, difference, ending);
      const story = [
        `sequence ${seed} (npm run test:attack -- --seed ${seed} --sequences 1 differential)`,
        ...few.map((step) => `  ${described(step)}`),
        `  difference: ${found.text}`,
      ].join('\n');
      process.stderr.write(`${story}\n`);
      failures.push(story);
    });
    process.stderr.write(
      `${more.length + 1} sequences from seed ${first}, ${calls} steps, ${failures.length} differ\n`,
    );
    expect(failures.map((failure) => failure.split('\n', 1)[0])).toEqual([]);
  },
);

test('the API server in memory shows the operator the CustomResourceDefinitions of the real API server', async () => {
  const servers = [real(agent), memory()] as const;
  for (const plural of ['managedvpcs', 'managedservices', 'readreplicasets']) {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.managed-db.io`;
    const [one, other] = await Promise.all(
      servers.map(async (server) => {
        const { status, body } = await server.call({ method: 'GET', path, user: 'operator' });
        return { status, spec: customResourceDefinitions.parse(body).spec };
      }),
    );
    expect(other).toEqual(one);
  }
});

/** A wait may time out on a loaded machine: it is no difference, and the sequence has a second try. */
async function again<T>(error: unknown, once: () => Promise<T>): Promise<T> {
  if (!(error instanceof TimedOut)) throw error;
  process.stderr.write(`a second try: ${error.message}\n`);
  return once();
}
