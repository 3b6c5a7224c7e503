import { expect, test } from 'vitest';
import { CloudError, cloudErrorKinds, type CloudErrorKind } from '../../../src/cloud/cloud-error.ts';
import { saysNoList } from '../../../src/reconcile/kinds/service/dependents.ts';
import { remedyOf } from '../../../src/reconcile/kinds/vpc/dependents.ts';
import { annotations } from '../../../src/resources/annotations.ts';
import { managedServices } from '../../../src/resources/managed-service.ts';

const saying = (fromApi: boolean) => cloudErrorKinds.filter((kind) => saysNoList(failed(kind, fromApi)));
const failed = (kind: CloudErrorKind, fromApi: boolean) => new CloudError({ operation: 'listReplicaSets', kind, sent: true, fromApi });

test('of a service that is gone only a clear no of the API says that it has no list of replica sets', () => {
  expect(saying(true)).toEqual(['invalid', 'notFound', 'conflict']);
  expect(saying(false), 'a proxy knows nothing of the request').toEqual(['notFound']);
});

const attached = (spec: object, status: object, record = {}) => {
  const metadata = {
    name: 'orders',
    namespace: 'shop',
    uid: 'u',
    resourceVersion: '1',
    annotations: { [annotations.record]: JSON.stringify(record) },
  };
  return managedServices.parse({ metadata, spec, status });
};
const made = { id: 'svc-1', vpcAttachment: 'vpc-1' };
const byStatus = { id: 'svc-1', vpcId: 'vpc-1', vpcManaged: true };

test.each([
  ['that its spec attached by name', attached({ vpcRef: { name: 'prod' } }, {}, made), 'take vpcRef out of its spec to detach it'],
  ['that its spec attached by id', attached({ vpcId: 'vpc-1' }, {}, made), 'take vpcId out of its spec to detach it'],
  ['of which only status knows that', attached({ vpcRef: { name: 'prod' } }, byStatus), 'take vpcRef out of its spec to detach it'],
  ['that somebody else attached', attached({}, { id: 'svc-1', vpcId: 'vpc-1' }, { id: 'svc-1' }), 'detach it in the cloud'],
  ['without an object', undefined, 'detach it in the cloud'],
])('a VPC is freed of a service %s without its deletion', (_, object, remedy) => {
  expect(remedyOf(object, 'vpc-1')).toBe(`${remedy}, or delete it if nobody needs its data`);
});
