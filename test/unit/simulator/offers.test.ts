import { expect, test } from 'vitest';
import { usualOffers } from '../../../src/simulator/offers.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';

/** The status and the message of the answer to a create. */
async function answerTo(path: string, body: object, offers = usualOffers): Promise<string> {
  await using simulator = await startSimulator({ offers });
  const project = simulator.addProject();
  const reply = await fetch(`${simulator.url}/projects/${project.id}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${project.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return `${reply.status} ${await reply.text()}`;
}

test.each<[sentence: string, path: string, body: object, answer: string]>([
  [
    'takes a usual service',
    'services',
    { name: 'a', cpu_millis: '1000', memory_gbs: '4', region_code: 'us-east-1' },
    '202 ',
  ],
  [
    'takes a service of a shared size',
    'services',
    { name: 'a', cpu_millis: 'shared', memory_gbs: 'shared' },
    '202 ',
  ],
  [
    'takes a VPC',
    'vpcs',
    { name: 'a', cidr: '192.168.4.0/24', region_code: 'eu-central-1' },
    '201 ',
  ],
  [
    'refuses an unknown region',
    'services',
    { name: 'a', region_code: 'mars-1' },
    '400 .*region_code: mars-1 is not offered; there are eu-central-1',
  ],
  [
    'refuses an unknown size',
    'services',
    { name: 'a', cpu_millis: '1', memory_gbs: '99999' },
    '400 .*1/99999 is not offered; there are 500/2',
  ],
  [
    'refuses a public range',
    'vpcs',
    { name: 'a', cidr: '8.8.8.0/24', region_code: 'eu-central-1' },
    '400 .*cidr: 8.8.8.0/24 is not offered',
  ],
  [
    'refuses the whole of a private network',
    'vpcs',
    { name: 'a', cidr: '10.0.0.0/8', region_code: 'eu-central-1' },
    '400 .*cidr',
  ],
])('a cloud with an offer %s', async (_, path, body, answer) => {
  expect(await answerTo(path, body)).toMatch(new RegExp(`^${answer}`, 'u'));
});

test('a cloud that offers any region and any size takes each of them', async () => {
  const body = { name: 'a', region_code: 'mars-1', cpu_millis: '1', memory_gbs: '7' };
  expect(await answerTo('services', body, { regions: ['any'], sizes: ['any'] })).toMatch(/^202 /u);
});

test('a service is not attached to a VPC of another region', async () => {
  await using simulator = await startSimulator({ offers: usualOffers, latencyMs: 0 });
  const project = simulator.addProject();
  const post = async (path: string, body: object): Promise<string> => {
    const reply = await fetch(`${simulator.url}/projects/${project.id}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${project.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return reply.text();
  };
  await post('vpcs', { name: 'net', cidr: '10.0.0.0/16', region_code: 'us-east-1' });
  await post('services', { name: 'orders', region_code: 'eu-central-1' });
  const [vpc, service] = project.everCreated.map(({ id }) => id);
  expect(await post(`services/${service}/attachToVPC`, { vpc_id: vpc })).toContain(
    `VPC ${vpc} is in us-east-1, and the service in eu-central-1`,
  );
});
