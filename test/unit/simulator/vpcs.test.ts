import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  idOf,
  inProcessCloud,
  latencyMs,
  newPeering,
  newVpc,
  statusOf,
  type InProcessCloud,
} from './in-process-cloud.ts';

let cloud: InProcessCloud;

beforeAll(async () => {
  cloud = await inProcessCloud();
});

afterAll(async () => {
  await cloud[Symbol.asyncDispose]();
});

test('a VPC is there at once, without a status', async () => {
  const created = await cloud.call('POST', '/vpcs', newVpc);
  expect(created).toMatchObject({ status: 201, body: newVpc });
  expect((await cloud.call('GET', `/vpcs/${idOf(created)}`)).body).toEqual({
    id: idOf(created),
    ...newVpc,
  });
});

test('a renamed VPC keeps its id', async () => {
  const id = await cloud.vpc();
  expect(await cloud.call('POST', `/vpcs/${id}/rename`, { name: 'another' })).toMatchObject({
    status: 200,
    body: { id, name: 'another' },
  });
  expect((await cloud.call('GET', `/vpcs/${id}`)).body).toMatchObject({ id, name: 'another' });
});

test('a deleted VPC is gone at once, and its peerings with it', async () => {
  const id = await cloud.vpc();
  const peering = idOf(await cloud.call('POST', `/vpcs/${id}/peerings`, newPeering));
  expect(await cloud.call('DELETE', `/vpcs/${id}`)).toMatchObject({ status: 204, text: '' });
  for (const path of [`/vpcs/${id}`, `/vpcs/${id}/peerings`, `/vpcs/${id}/peerings/${peering}`])
    expect((await cloud.call('GET', path)).status).toBe(404);
});

test('the peerings of a removed VPC are no longer found', async () => {
  const id = await cloud.vpc();
  const peering = idOf(await cloud.call('POST', `/vpcs/${id}/peerings`, newPeering));
  await cloud.admin('DELETE', `/force/vpc/${id}`);
  expect((await cloud.call('GET', `/vpcs/${id}/peerings/${peering}`)).status).toBe(404);
});

test('a VPC is not deleted while a service is attached, attaching, detaching or deleting', async () => {
  const [id, service] = [await cloud.vpc(), await cloud.serviceIn('READY')];
  const remove = async () => (await cloud.call('DELETE', `/vpcs/${id}`)).status;
  await cloud.call('POST', `/services/${service}/attachToVPC`, { vpc_id: id });
  expect(await remove(), 'while attaching').toBe(409);
  cloud.advance(latencyMs);
  expect(await remove(), 'while attached').toBe(409);
  await cloud.call('POST', `/services/${service}/detachFromVPC`, { vpc_id: id });
  expect(await remove(), 'while detaching').toBe(409);
  cloud.advance(latencyMs);
  await cloud.call('POST', `/services/${service}/attachToVPC`, { vpc_id: id });
  cloud.advance(latencyMs);
  await cloud.call('DELETE', `/services/${service}`);
  expect(await remove(), 'while the service is deleting').toBe(409);
  cloud.advance(latencyMs);
  expect(await remove()).toBe(204);
});

test('a VPC is deleted once the service is detached', async () => {
  const [id, service] = [await cloud.vpc(), await cloud.serviceIn('READY')];
  for (const change of ['attachToVPC', 'detachFromVPC']) {
    await cloud.call('POST', `/services/${service}/${change}`, { vpc_id: id });
    cloud.advance(latencyMs);
  }
  expect((await cloud.call('DELETE', `/vpcs/${id}`)).status).toBe(204);
});

test('a peering is pending, then active', async () => {
  const peerings = `/vpcs/${await cloud.vpc()}/peerings`;
  const created = await cloud.call('POST', peerings, newPeering);
  expect(created).toMatchObject({
    status: 201,
    body: { ...newPeering, status: 'pending' },
  });
  cloud.advance(latencyMs - 1);
  expect(statusOf(await cloud.call('GET', `${peerings}/${idOf(created)}`))).toBe('pending');
  cloud.advance(1);
  expect(statusOf(await cloud.call('GET', `${peerings}/${idOf(created)}`))).toBe('active');
});

test('a peering that is made to fail says why, and stays failed', async () => {
  const peerings = `/vpcs/${await cloud.vpc()}/peerings`;
  const id = idOf(await cloud.call('POST', peerings, newPeering));
  await cloud.admin('POST', '/force', {
    kind: 'peering',
    id,
    status: 'failed',
    errorMessage: 'the peer said no',
  });
  cloud.advance(latencyMs);
  expect((await cloud.call('GET', `${peerings}/${id}`)).body).toMatchObject({
    status: 'failed',
    error_message: 'the peer said no',
  });
});

test('a deleted peering is gone at once, and the VPC stays', async () => {
  const vpc = await cloud.vpc();
  const id = idOf(await cloud.call('POST', `/vpcs/${vpc}/peerings`, newPeering));
  expect(await cloud.call('DELETE', `/vpcs/${vpc}/peerings/${id}`)).toMatchObject({
    status: 204,
    text: '',
  });
  expect((await cloud.call('GET', `/vpcs/${vpc}/peerings`)).body).toEqual([]);
  expect((await cloud.call('DELETE', `/vpcs/${vpc}/peerings/${id}`)).status).toBe(404);
  expect((await cloud.call('GET', `/vpcs/${vpc}`)).status).toBe(200);
});

test('a peering is found below its own VPC and below no other', async () => {
  const [own, other] = [await cloud.vpc(), await cloud.vpc()];
  const id = idOf(await cloud.call('POST', `/vpcs/${own}/peerings`, newPeering));
  expect((await cloud.call('GET', `/vpcs/${other}/peerings/${id}`)).status).toBe(404);
  expect((await cloud.call('DELETE', `/vpcs/${other}/peerings/${id}`)).status).toBe(404);
});
