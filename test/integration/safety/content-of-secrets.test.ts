import { expect, test } from 'vitest';
import { connectionLabel, credentialsLabel } from '../../../src/resources/annotations.ts';
import { resourceKey } from '../../../src/runtime/kubernetes-object.ts';
import { secretMetadata } from '../../../src/reconcile/credentials/secret-metadata.ts';
import { vpc } from '../../support/manifests.ts';
import { received } from '../../support/received.ts';
import { until } from '../../support/until.ts';
import { startWorld } from '../../support/world.ts';

/** The content of a Secret reaches the process when it is needed, and only then. */

const sent = (name: string) => Buffer.from(`the content of ${name}`).toString('base64');

test.each([
  ['credentials', credentialsLabel],
  ['connections', connectionLabel],
])('what others put into Secrets of the label for %s never reaches the operator', async (_what, label) => {
  await using world = await startWorld({ start: false });
  const wire = received();
  const content = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, labels: { [label]: 'true' } },
    stringData: { content: `the content of ${name}` },
  });
  await world.apply(content('before'), content('going'));
  const operator = await world.startOperator({ intercept: wire.intercept });
  await operator.started;
  await world.apply(content('later'), vpc('prod'));
  await world.kubernetes.delete(secretMetadata, resourceKey(world.namespace, 'going'));
  await world.untilReady('vpc', 'prod');
  await until('the watch to tell of it', () => wire.text().includes('"name":"later"'));
  for (const name of ['before', 'going', 'later']) {
    expect(wire.text()).toContain(`"name":"${name}"`);
    expect(wire.text()).not.toContain(sent(name));
  }
});
