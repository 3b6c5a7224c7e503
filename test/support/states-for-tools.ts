import { serviceKind } from '../../src/reconcile/kinds/service/kind.ts';
import { conclude } from '../../src/reconcile/report/conclude.ts';
import { managedServices, type ManagedService } from '../../src/resources/managed-service.ts';
import type { ChangeRules } from '../../src/resources/change-rules.ts';
import { parseWeeklyWindow } from '../../src/resources/weekly-window.ts';
import { unread } from './our-secret.ts';
import { noon, notCreated, serviceSituation, type GivenService } from './situation.ts';
import { visitOf } from './visit.ts';

/** The states of docs/reasons.md, "How tools see it": objects on which tools wait, or must not wait. */

const unseenSecret = { secret: unread, status: { connectionSecret: undefined } };
const suspend = { suspend: true };
const larger = { cpuMillis: 2000 };
const stop = { powerState: 'Stopped' };
/** Noon of the tests is a Saturday. */
const window = parseWeeklyWindow('Sun 02:00-05:00 UTC');
if ('problem' in window) throw new Error(window.problem);
const shut: ChangeRules = {
  levels: [{ source: 'spec.changeWindows', windows: [window] }],
  approval: undefined,
};
const paused = { seen: { status: 'PAUSED' } };

/** By the words of the page. The spec of each object is newer than its status. */
const given: Readonly<Record<string, GivenService>> = {
  'Observed, as its spec': { ...unseenSecret, spec: { managementPolicy: 'Observe' } },
  'Observed, differs from its spec': {
    ...unseenSecret,
    spec: { managementPolicy: 'Observe', ...larger },
  },
  'Suspended, as its spec': { spec: suspend },
  'Suspended, with an edit that is not applied': { spec: { ...suspend, ...larger } },
  'Suspended before anything was created': { ...notCreated, spec: suspend },
  'Suspended, gone from the cloud': { spec: suspend, cloud: { state: 'absent' } },
  'Suspended while the cloud cannot be read': {
    spec: suspend,
    cloud: { state: 'unknown', error: undefined },
  },
  'Stopped by `powerState`': { spec: stop, ...paused },
  'Stopped by `powerState`, and suspended': { spec: { ...suspend, ...stop }, ...paused },
  'Stopped elsewhere': paused,
  'Held by a change window': { spec: larger, rules: shut, wallTime: noon },
  'Held until an approval': {
    spec: larger,
    rules: { levels: [], approval: 'Required' },
    wallTime: noon,
  },
  'Being deleted while suspended': {
    spec: suspend,
    metadata: { deletionTimestamp: new Date(noon).toISOString(), finalizers: ['example.com/x'] },
    deletion: { requested: true },
  },
};

/** The state as the page names it, and the object after a visit to the edited spec. */
export const statesForTools: readonly (readonly [state: string, object: ManagedService])[] =
  Object.entries(given).map(([state, row]) => [state, afterVisit(row)]);

function afterVisit(row: GivenService): ManagedService {
  const before = { type: 'Ready', status: 'True', reason: 'Available', message: 'x' };
  const since = { lastTransitionTime: '2026-11-21T09:00:00Z', observedGeneration: 1 };
  const conditions = row.record === notCreated.record ? [] : [{ ...before, ...since }];
  const situation = serviceSituation({
    ...row,
    status: { conditions, ...row.status },
    metadata: { generation: 2, ...row.metadata },
  });
  const { object } = situation;
  const { status } = conclude(visitOf(serviceKind, situation, serviceKind.decide(situation)));
  return managedServices.parse({ metadata: object.metadata, spec: object.spec, status });
}
