import { expect, test } from 'vitest';
import { operatorProcess } from '../support/operator-process.ts';

/** Where the binaries of the control plane are. */
const places = Object.fromEntries(
  ['HOME', 'XDG_CACHE_HOME', 'KUBEBUILDER_ASSETS'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

test('the demo brings all samples to Ready, shows no password, deletes everything and ends', { timeout: 120_000 }, async () => {
  await using demo = operatorProcess(['demo', '--once'], places);
  expect([await demo.ended, demo.stderr()]).toEqual([0, '']);
  const said = demo.stdout();
  expect(said).toContain('password  ********');
  expect(said).toMatch(/^ {2}export KUBECONFIG=\S+ PATH=\S+$/mu);
  expect(said).toContain('The cloud is empty again.');
});

test('the demo says which argument it does not understand', async () => {
  await using demo = operatorProcess(['demo', '--twice']);
  expect(await demo.ended).toBe(2);
  expect(demo.stderr()).toBe('--twice is not understood: see npm run demo -- --help\n');
});
