import { inspect } from 'node:util';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { cloudClient } from '../../../src/cloud/cloud-client.ts';
import type { CloudError } from '../../../src/cloud/cloud-error.ts';
import { projectId } from '../../../src/cloud/wire/account.ts';
import { serviceId } from '../../../src/cloud/wire/service.ts';
import { awkwardPassword as password, quotations, tracesOf } from '../secret-forms.ts';
import { cloudErrorOf } from './cloud-error-of.ts';
import { json, rawPeer, scriptedPeer, text } from './scripted-peer.ts';

const apiKey = 'sk-9f"8e/7d+6c';
const project = projectId.parse('prj7');
const service = serviceId.parse('s1');

/** Everything that a logger, an event or a curious person can get out of an error. */
function everythingOf(error: CloudError): string {
  return [
    inspect(error, { depth: 20, showHidden: true }),
    JSON.stringify(error),
    error.stack,
    error.message,
    String(error.cause),
  ].join('\n');
}

/** The secrets, in any form, that the error shows. */
function secretsShownBy(error: CloudError): readonly string[] {
  const shown = everythingOf(error);
  return [...tracesOf(apiKey), ...tracesOf(password)].filter((trace) => shown.includes(trace));
}

test.each([
  ...quotations,
  [
    'with control characters in it',
    (secret: string) => secret.replaceAll(/(?<=.)/gu, '\u0000'),
  ] as const,
])('an echo of key and password %s does not come through', async (_how, echo) => {
  await using peer = await scriptedPeer(
    json(400, { message: `no: ${echo(password)} by ${echo(apiKey)}`, code: echo(password) }),
  );
  await using api = cloudClient({ baseUrl: peer.url, apiKey });
  const error = await cloudErrorOf(
    api.project(project).updateServicePassword(service, { password }),
  );
  expect(error.cloudMessage).toContain('[redacted]');
  expect(secretsShownBy(error)).toEqual([]);
});

test.each([
  ['g', 'four gigabytes are too few'],
  ['gigabyte', 'four [redacted]s are too few'],
])(
  'messages show neither a long password nor that a password is short: %s',
  async (ofRequest, message) => {
    await using peer = await scriptedPeer(
      json(409, { code: 'small', message: 'four gigabytes are too few' }),
    );
    await using api = cloudClient({ baseUrl: peer.url, apiKey });
    const error = await cloudErrorOf(
      api.project(project).updateServicePassword(service, { password: ofRequest }),
    );
    expect(error.cloudMessage).toBe(message);
  },
);

test.each([
  ['of a wrong type', json(201, { service_id: 7, initial_password: password })],
  ['without an id', json(201, { initial_password: password })],
  ['that is not JSON', text(201, `${password} ${apiKey}`)],
])('the error for a reply %s shows no part of the reply', async (_what, answer) => {
  await using peer = await scriptedPeer(answer);
  await using api = cloudClient({ baseUrl: peer.url, apiKey });
  expect(
    secretsShownBy(await cloudErrorOf(api.project(project).createService({ name: 'x' }))),
  ).toEqual([]);
});

test('bytes that are no HTTP do not come through as the cause', async () => {
  const echo = (socket: Socket) => void socket.end(`${apiKey} ${password}\r\n`);
  await using peer = await rawPeer(echo);
  await using api = cloudClient({ baseUrl: peer.url, apiKey });
  const error = await cloudErrorOf(
    api.project(project).updateServicePassword(service, { password }),
  );
  expect(error).toMatchObject({ kind: 'network', sent: true });
  expect(secretsShownBy(error)).toEqual([]);
});

test('a reset connection shows nothing of the request', async () => {
  await using peer = await rawPeer((socket) => void socket.resetAndDestroy());
  await using api = cloudClient({ baseUrl: peer.url, apiKey });
  expect(
    secretsShownBy(
      await cloudErrorOf(api.project(project).updateServicePassword(service, { password })),
    ),
  ).toEqual([]);
});
