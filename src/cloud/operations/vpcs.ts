import { confirmed, list, noIdempotency, polled, read, type Operations } from './operation.ts';

const vpc = '/projects/{project_id}/vpcs/{vpc_id}';

export const vpcs = {
  listVpcs: {
    method: 'GET',
    path: '/projects/{project_id}/vpcs',
    summary: 'All VPCs of the project',
    description: polled,
    success: list('Vpc'),
  },
  createVpc: {
    method: 'POST',
    path: '/projects/{project_id}/vpcs',
    creates: true,
    summary: 'Creates a VPC',
    description: noIdempotency,
    request: 'CreateVpc',
    success: { status: 201, description: 'It is there.', body: 'Vpc' },
  },
  getVpc: { method: 'GET', path: vpc, summary: 'Reads a VPC', description: confirmed, success: read('Vpc') },
  deleteVpc: {
    method: 'DELETE',
    path: vpc,
    summary: 'Deletes a VPC, and its peerings with it',
    success: { status: 204, description: 'It is gone.' },
    conflict: 'A service is attached to it, or on its way to it or from it.',
  },
  renameVpc: {
    method: 'POST',
    path: `${vpc}/rename`,
    summary: 'Gives a VPC another name',
    request: 'RenameVpc',
    success: { status: 200, description: 'It has that name. The body is not needed.', body: 'Vpc' },
  },
  listPeerings: { method: 'GET', path: `${vpc}/peerings`, summary: 'All peerings of a VPC', description: polled, success: list('Peering') },
  createPeering: {
    method: 'POST',
    path: `${vpc}/peerings`,
    creates: true,
    summary: 'Asks for a peering',
    description:
      'The same request twice makes two. The operator never repeats one: after a lost answer it looks for a peering with this peer in the list.',
    request: 'CreatePeering',
    success: { status: 201, description: 'It is `pending` until the peer accepts it.', body: 'Peering', example: { status: 'pending' } },
  },
  getPeering: {
    method: 'GET',
    path: `${vpc}/peerings/{peering_id}`,
    summary: 'Reads a peering',
    description: confirmed,
    success: read('Peering'),
  },
  deletePeering: {
    method: 'DELETE',
    path: `${vpc}/peerings/{peering_id}`,
    summary: 'Deletes a peering',
    success: { status: 204, description: 'It is gone.' },
  },
} as const satisfies Operations;
