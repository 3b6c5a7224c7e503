import { isIP } from 'node:net';
import { at, isList, isObject, isSame, textAt, type Json } from './json.ts';

type Test = (self: Json, before: Json | undefined) => boolean;

const has = (value: Json | undefined, ...path: readonly string[]) =>
  at(value, ...path) !== undefined;

/** The field is absent before and after, or has the same value before and after. */
const isFixed =
  (field: string): Test =>
  (self, before) =>
    isSame(at(self, field), at(before, field));

/** The field, if it is there before and after, has the same value. */
const staysOnceThere =
  (field: string): Test =>
  (self, before) =>
    !has(self, field) || !has(before, field) || isSame(at(self, field), at(before, field));

const keysOf = (self: Json) => (isObject(self) ? Object.keys(self) : []);
const isSizeOrShared: Test = (self) =>
  typeof self === 'number' ? self >= 1 && self <= 2_147_483_647 : self === 'shared';
const isShared = (value: Json | undefined, ...path: readonly string[]) =>
  at(value, ...path) === 'shared';
const qualifiedName =
  /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/u;
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/u;
const zonedTime =
  /^20[0-9]{2}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?(Z|[+-](0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)$/u;

function isZone(zone: string): boolean {
  try {
    // eslint-disable-next-line no-new -- it throws for an unknown zone
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone !== 'Local';
  } catch {
    return false; // the only error of this call is an unknown zone
  }
}

/** The rules in the language CEL of the definitions in crds/, by their text. A rule without a row fails loudly. */
const tests: Readonly<Record<string, Test>> = {
  // ManagedService and ReplicaSet, root
  'has(self.spec.regionCode) == has(oldSelf.spec.regionCode) || (has(self.spec.regionCode) && has(self.status) && has(self.status.service) && has(self.status.service.regionCode) && self.spec.regionCode == self.status.service.regionCode)':
    (self, before) =>
      has(self, 'spec', 'regionCode') === has(before, 'spec', 'regionCode') ||
      (has(self, 'spec', 'regionCode') &&
        at(self, 'spec', 'regionCode') === at(self, 'status', 'service', 'regionCode')),
  "!(has(self.spec.cpuMillis) && self.spec.cpuMillis == 'shared') || (has(oldSelf.spec.cpuMillis) && oldSelf.spec.cpuMillis == 'shared') || !has(self.status) || !has(self.status.id)":
    (self, before) =>
      !isShared(self, 'spec', 'cpuMillis') ||
      isShared(before, 'spec', 'cpuMillis') ||
      !has(self, 'status', 'id'),
  'oldSelf.hasValue() || !has(self.spec.fork) || !has(self.spec.fork.serviceRef) || self.spec.fork.serviceRef.name != self.metadata.name':
    (self, before) =>
      before !== undefined ||
      !has(self, 'spec', 'fork', 'serviceRef') ||
      textAt(self, 'spec', 'fork', 'serviceRef', 'name') !== textAt(self, 'metadata', 'name'),

  // Values of the spec
  "type(self) == int ? self >= 1 && self <= 2147483647 : self == 'shared'": isSizeOrShared,
  'self == oldSelf': (self, before) => isSame(self, before),
  'isCIDR(self) && string(cidr(self).masked()) == self.lowerAscii()': (self) =>
    typeof self === 'string' && isMaskedRange(self),
  '!has(self.replicaCount) || !has(self.syncReplicaCount) || self.syncReplicaCount <= self.replicaCount':
    (self) =>
      Number(at(self, 'syncReplicaCount') ?? 0) <= Number(at(self, 'replicaCount') ?? Infinity),
  "self.matches('^20[0-9]{2}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?(Z|[+-](0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)$') && (!self.matches('^....-02-29') || int(self.substring(0, 4)) % 4 == 0)":
    (self) =>
      typeof self === 'string' &&
      zonedTime.test(self) &&
      (self.slice(4, 10) !== '-02-29' || Number(self.slice(0, 4)) % 4 === 0),
  "!self.endsWith(' Local') && timestamp('2026-01-01T00:00:00Z').getHours(self.split(' ')[2]) >= 0":
    (self) => typeof self === 'string' && isZone(self.split(' ')[2] ?? ''),
  'has(self.serviceRef) != has(self.serviceId)': (self) =>
    has(self, 'serviceRef') !== has(self, 'serviceId'),
  "(self.strategy == 'PITR') == has(self.targetTime)": (self) =>
    (at(self, 'strategy') === 'PITR') === has(self, 'targetTime'),
  '!has(self.secretRef) || !has(self.rotation)': (self) =>
    !has(self, 'secretRef') || !has(self, 'rotation'),
  "self.all(k, !k.contains('managed-db.io/') && !k.contains('argoproj.io/') && !k.contains('fluxcd.io/') && k != 'app.kubernetes.io/instance')":
    (self) =>
      keysOf(self).every(
        (key) =>
          !['managed-db.io/', 'argoproj.io/', 'fluxcd.io/'].some((part) => key.includes(part)) &&
          key !== 'app.kubernetes.io/instance',
      ),
  "self.all(k, k.matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'))":
    (self) => keysOf(self).every((key) => qualifiedName.test(key)),
  "self.all(k, self[k].matches('^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$'))": (self) =>
    keysOf(self).every((key) => labelValue.test(textAt(self, key) ?? '')),

  // Specs
  'has(self.name) == has(oldSelf.name) && (!has(self.name) || self.name == oldSelf.name)':
    isFixed('name'),
  'has(self.addons) == has(oldSelf.addons) && (!has(self.addons) || self.addons == oldSelf.addons)':
    (self, before) => isSame(sortedList(at(self, 'addons')), sortedList(at(before, 'addons'))),
  '!has(self.regionCode) || !has(oldSelf.regionCode) || self.regionCode == oldSelf.regionCode':
    staysOnceThere('regionCode'),
  'has(self.fork) == has(oldSelf.fork) && (!has(self.fork) || self.fork == oldSelf.fork)':
    isFixed('fork'),
  '!has(self.runningHours) || !has(self.powerState)': (self) =>
    !has(self, 'runningHours') || !has(self, 'powerState'),
  'has(self.runningHours) || !has(oldSelf.runningHours) || has(self.powerState)': (self, before) =>
    has(self, 'runningHours') || !has(before, 'runningHours') || has(self, 'powerState'),
  '!has(self.vpcRef) || !has(self.vpcId)': (self) => !has(self, 'vpcRef') || !has(self, 'vpcId'),
  "(has(self.cpuMillis) && self.cpuMillis == 'shared') == (has(self.memoryGbs) && self.memoryGbs == 'shared')":
    (self) => isShared(self, 'cpuMillis') === isShared(self, 'memoryGbs'),
  '!has(self.fork) || !has(self.regionCode)': (self) =>
    !has(self, 'fork') || !has(self, 'regionCode'),
  '!has(self.fork) || !has(self.addons)': (self) => !has(self, 'fork') || !has(self, 'addons'),
  '!has(self.serviceRef) || !has(oldSelf.serviceRef) || self.serviceRef.name == oldSelf.serviceRef.name':
    (self, before) =>
      !has(self, 'serviceRef') ||
      !has(before, 'serviceRef') ||
      at(self, 'serviceRef', 'name') === at(before, 'serviceRef', 'name'),
  '!has(self.serviceId) || !has(oldSelf.serviceId) || self.serviceId == oldSelf.serviceId':
    staysOnceThere('serviceId'),
};

/**
 * Whether a value follows a rule.
 * @param text the rule in CEL, as the definition has it
 * @throws {Error} for a rule without a row in this module
 */
export function isFollowed(text: string, self: Json, before: Json | undefined): boolean {
  const followed = tests[text];
  if (!followed) throw new Error(`test/simulation/api-server/rules.ts has no row for: ${text}`);
  return followed(self, before);
}

/** Lists of type set are equal in any order. */
function sortedList(value: Json | undefined): Json | undefined {
  return isList(value) ? value.map(String).toSorted() : value;
}

/** Whether a text is an address range without host bits, in its shortest form. */
function isMaskedRange(text: string): boolean {
  const [address = '', length = '', ...more] = text.toLowerCase().split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0 || !/^(0|[1-9]\d{0,2})$/u.test(length)) return false;
  const bits = family === 4 ? bitsOf(address.split('.'), 10, 8) : bitsOf(groupsOf(address), 16, 16);
  if (Number(length) > bits.length) return false;
  const isShortest = family === 4 || new URL(`http://[${address}]`).hostname === `[${address}]`;
  return isShortest && !bits.slice(Number(length)).includes('1');
}

function bitsOf(parts: readonly string[], radix: number, width: number): string {
  return parts
    .map((part) => Number.parseInt(part, radix).toString(2).padStart(width, '0'))
    .join('');
}

const groups = (part: string | undefined) => (part ? part.split(':') : []);

function groupsOf(address: string): readonly string[] {
  const [head = '', tail] = address.split('::');
  if (tail === undefined) return groups(head);
  const zeros = 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array.from({ length: zeros }, () => '0'), ...groups(tail)];
}
