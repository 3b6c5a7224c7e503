import type { CloudApi, CloudOperation } from '../../cloud/cloud-api.ts';
import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import { serviceId } from '../../cloud/wire/service.ts';
import { vpcId } from '../../cloud/wire/vpc.ts';

export interface Finding {
  readonly operation: CloudOperation;
  /** `ok`, `differs` from the document of the API, or `skipped` because there is nothing to read. */
  readonly result: 'ok' | 'differs' | 'skipped';
  readonly message: string;
}

/** With the key, and with a key that the cloud must refuse. */
export interface Clients {
  readonly client: CloudApi;
  readonly withoutKey: Pick<CloudApi, 'getCredentialsInfo'>;
  /** The odd fields of the last reply to this operation that could be read without them. */
  readonly oddIn: (operation: CloudOperation) => readonly string[];
}

const noId = 'managed-db-check-does-not-exist';

/**
 * Compares the replies to all reads with the document of the API. Sends no other request.
 * @throws {CloudError} if the cloud does not answer, or refuses the key
 */
export async function checkCloud({
  client,
  withoutKey,
  oddIn,
}: Clients): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const note = (operation: CloudOperation, error: CloudError | undefined, message: string) => {
    const odd = error ? [] : oddIn(operation);
    const more = odd.length > mostNamed ? `, and ${odd.length - mostNamed} more` : '';
    const said =
      odd.length === 0 ? message : `${message}, but ${odd.slice(0, mostNamed).join('; ')}${more}`;
    findings.push({
      operation,
      result: error || odd.length > 0 ? 'differs' : 'ok',
      message: error?.message ?? said,
    });
  };
  const skip = (operation: CloudOperation, why: string) =>
    findings.push({ operation, result: 'skipped', message: why });
  const refusal = async (
    operation: CloudOperation,
    kind: CloudError['kind'],
    call: Promise<unknown>,
    about: string,
  ) => {
    const reply = unlessAway(await orCloudError(call));
    const isRight = reply instanceof CloudError && reply.kind === kind && reply.fromApi;
    const got = reply instanceof CloudError ? reply.message : 'an answer';
    const expected = isRight
      ? undefined
      : new CloudError({
          operation,
          kind: 'unreadable',
          sent: true,
          fromApi: false,
          field: `${about} must be ${kind} with a JSON error, and is: ${got}`,
        });
    note(operation, expected, `${about}: refused as ${kind}`);
  };

  await refusal(
    'getCredentialsInfo',
    'unauthorized',
    withoutKey.getCredentialsInfo(),
    'a wrong key',
  );
  const info = await client.getCredentialsInfo();
  note('getCredentialsInfo', undefined, `project ${info.apiKey.project.id}`);
  const project = client.project(info.apiKey.project.id);
  const vpcs = await orCloudError(project.listVpcs());
  note('listVpcs', errorIn(vpcs), `${sizeOf(vpcs)} VPCs`);
  const services = await orCloudError(project.listServices());
  note('listServices', errorIn(services), `${sizeOf(services)} services`);
  await refusal('getVpc', 'notFound', project.getVpc(vpcId.parse(noId)), 'an unknown id');
  await refusal(
    'getService',
    'notFound',
    project.getService(serviceId.parse(noId)),
    'an unknown id',
  );

  const [vpc] = vpcs instanceof CloudError ? [] : vpcs;
  if (vpc) {
    note('getVpc', errorIn(await orCloudError(project.getVpc(vpc.id))), `VPC ${vpc.id}`);
    const peerings = await orCloudError(project.listPeerings(vpc.id));
    note('listPeerings', errorIn(peerings), `${sizeOf(peerings)} peerings of VPC ${vpc.id}`);
    const [peering] = peerings instanceof CloudError ? [] : peerings;
    if (peering)
      note(
        'getPeering',
        errorIn(await orCloudError(project.getPeering(vpc.id, peering.id))),
        `peering ${peering.id}`,
      );
    else skip('getPeering', `VPC ${vpc.id} has no peering`);
  } else
    for (const operation of ['getVpc', 'listPeerings', 'getPeering'] as const)
      skip(operation, 'the project has no VPC');
  const [service] = services instanceof CloudError ? [] : services;
  if (service) {
    const { service_id: id } = service;
    note('getService', errorIn(await orCloudError(project.getService(id))), `service ${id}`);
    const sets = await orCloudError(project.listReplicaSets(id));
    note('listReplicaSets', errorIn(sets), `${sizeOf(sets)} replica sets of service ${id}`);
  } else
    for (const operation of ['getService', 'listReplicaSets'] as const)
      skip(operation, 'the project has no service');
  return findings;
}

const mostNamed = 5;

function errorIn(reply: unknown): CloudError | undefined {
  return reply instanceof CloudError ? reply : undefined;
}

function sizeOf(reply: readonly unknown[] | CloudError): number {
  return reply instanceof CloudError ? 0 : reply.length;
}

/** A cloud that does not answer is not compared. @throws {CloudError} */
function unlessAway<T>(reply: T | CloudError): T | CloudError {
  if (reply instanceof CloudError && (reply.kind === 'network' || reply.kind === 'timeout'))
    throw reply;
  return reply;
}
