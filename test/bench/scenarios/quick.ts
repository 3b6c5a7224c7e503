import { inWords, total } from '../counts.ts';
import { names, watchFleet } from '../fleet.ts';
import { patience, type Scenario } from '../scenario.ts';
import { isCloudRead, isWrite } from '../traffic.ts';
import { spentOn, type Spent } from '../window.ts';
import { untilAtRest } from './at-rest.ts';

/** Some services are made, found again by another process, and deleted: the costs in requests and calls, on any machine. */
export const quick: Scenario = {
  full: { count: 10, rounds: 1 },
  async run(bench, { count }) {
    await using fleet = await watchFleet(bench.cluster, await bench.cluster.newNamespace());
    const told = (what: string, { requests, cloudCalls }: Spent) =>
      bench.say(`${what}: requests: ${inWords(requests)}; calls: ${inWords(cloudCalls)}`);
    const first = await bench.startOperator(fleet.namespace);
    await first.untilWorking();
    const created = await spentOn(bench, first, async () => {
      await fleet.apply(names(count));
      await fleet.untilReady(count, patience(count));
    });
    told('create', created);
    first.kill('SIGTERM');
    await first.ended;
    const second = await bench.startOperator(fleet.namespace);
    const restarted = await spentOn(bench, second, async () => {
      await second.untilWorking();
      await untilAtRest(second, count);
    });
    told('restart', restarted);
    const deleted = await spentOn(bench, second, async () => {
      await fleet.deleteAll();
      await fleet.untilGone(patience(count));
    });
    told('delete', deleted);
    second.kill('SIGTERM');
    await second.ended;
    return [
      { id: 'quick.create-writes', value: writes(created) / count },
      { id: 'quick.create-events', value: events(created) / count },
      { id: 'quick.create-reads', value: gets(created) / count },
      { id: 'quick.create-cloud-writes', value: calls(created, isCloudWrite) / count },
      { id: 'quick.create-cloud-gets', value: calls(created, isCloudGet) },
      { id: 'quick.restart-writes', value: total(restarted.requests, isWrite) },
      { id: 'quick.restart-reads', value: gets(restarted) / count },
      { id: 'quick.restart-cloud-writes', value: calls(restarted, isCloudWrite) },
      { id: 'quick.delete-writes', value: writes(deleted) / count },
      { id: 'quick.delete-reads', value: gets(deleted) / count },
      { id: 'quick.delete-cloud-writes', value: calls(deleted, isCloudWrite) / count },
      { id: 'quick.delete-cloud-gets', value: calls(deleted, isCloudGet) },
      {
        id: 'quick.delete-cloud-lists',
        value: calls(deleted, (name) => name.startsWith('list')) / Math.max(deleted.wallSeconds, 1),
      },
    ];
  },
};

/** The single request that deletes all, which a person makes. */
const people = 'DELETE managedservices';

const isCloudWrite = (name: string) => !isCloudRead(name);
const isCloudGet = (name: string) => name.startsWith('getService');
const calls = ({ cloudCalls }: Spent, isCounted: (name: string) => boolean) =>
  total(cloudCalls, isCounted);
const writes = ({ requests }: Spent) =>
  total(requests, (name) => isWrite(name) && !name.endsWith(' events') && name !== people);
const events = ({ requests }: Spent) =>
  total(requests, (name) => isWrite(name) && name.endsWith(' events'));
/** A start reads a few things once, however many services there are. */
const gets = ({ requests }: Spent) =>
  total(requests, (name) => name === 'GET secrets' || name === 'GET managedservices');
