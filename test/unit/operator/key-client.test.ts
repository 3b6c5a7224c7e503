import { expect, test } from 'vitest';
import { keyClient } from '../../../src/operator/key-client.ts';
import { acceleratedClock } from '../../../src/runtime/index.ts';
import { logger } from '../../../src/logging/logging.ts';

test('each wait for the rate limit is observed with its priority, also a wait that ends in a refusal', async () => {
  const waits: { readonly priority: string; readonly waitedMs: number }[] = [];
  const clock = acceleratedClock(10);
  const client = keyClient('key', {
    cloudUrl: new URL('http://127.0.0.1:1'),
    rateLimit: { perSecond: 1, burst: 1 },
    clock,
    intercept: undefined,
    userAgent: 'test',
    log: logger({ level: 'error', format: 'json', write: () => undefined }),
    observe: () => undefined,
    onWaited: (priority, waitedMs) => void waits.push({ priority, waitedMs }),
  });
  await client.limiter.acquire('createVpc', 'edit');
  await client.limiter.acquire('listVpcs', 'read');
  const refused = client.limiter.acquire('deleteVpc', 'edit');
  client.limiter.pauseUntil(clock.now() + 60_000);
  await expect(refused).rejects.toMatchObject({ kind: 'rateLimited', sent: false });
  client.close();
  expect(waits.map(({ priority }) => priority)).toEqual(['edit', 'read', 'edit']);
  // A token a second of policy time, which is a tenth of a second of real time.
  expect(waits[1]?.waitedMs).toBeGreaterThan(50);
});
