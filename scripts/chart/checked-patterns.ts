import { governedOperations } from '../../src/reconcile/decide/gate.ts';
import { cloudUrlPattern, port } from '../../src/config/setting-shapes.ts';
import { weeklyWindowPattern } from '../../src/resources/weekly-window.ts';

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d{2}|[1-9]?\\d)';
const ipv4 = `(?:${octet}\\.){3}${octet}`;
/** With a single `::` at most, at any place where it is allowed. */
const ipv6 = `(?:${[
  '(?:H:){7}H',
  '(?:H:){1,7}:',
  '(?:H:){1,6}:H',
  ...[5, 4, 3, 2, 1].map((before) => `(?:H:){1,${before}}(?::H){1,${7 - before}}`),
  ':(?:(?::H){1,7}|:)',
]
  .join('|')
  .replaceAll('H', '[0-9A-Fa-f]{1,4}')})`;
/** All addresses of this machine, so those of a Pod. */
const everyAddressPattern = `^(?:0\\.0\\.0\\.0|\\[::\\])?:${port}$`;

/**
 * Patterns that are too long for the schema, since Helm quotes the pattern and the value to the user, who may have written a password. `_checks.tpl` holds
 * the values against them, and answers with a sentence.
 */
export const checkedPatterns = {
  cloudUrl: cloudUrlPattern,
  healthAddress: everyAddressPattern,
  cidr: `^(?:${ipv4}/(?:3[0-2]|[12]?\\d)|${ipv6}/(?:12[0-8]|1[01]\\d|[1-9]?\\d))$`,
} as const;

/** Patterns of the annotations that a policy reads. */
export const policyPatterns = { weeklyWindow: weeklyWindowPattern } as const;

const governed = governedOperations.map((operation) => `'${operation}'`).join(', ');

/** templates/_patterns.tpl. */
export const patternsTemplate = `{{- /* Generated from scripts/chart/checked-patterns.ts by npm run generate. Do not edit. */ -}}
${Object.entries({ ...checkedPatterns, ...policyPatterns })
  .map(
    ([name, pattern]) =>
      `{{- define "operator.pattern.${name}" -}}{{ \`${pattern}\` }}{{- end -}}\n`,
  )
  .join('')}{{- define "operator.governedOperations" -}}[${governed}]{{- end -}}
`;
