import { cloudUrlPattern, everyAddressPattern, ipv4, ipv6 } from '../../src/config/setting-shapes.ts';

/**
 * Patterns that are too long for the schema, since Helm quotes the pattern and the value to the user, who may have written a password. `_checks.tpl` holds
 * the values against them, and answers with a sentence.
 */
export const checkedPatterns = {
  cloudUrl: cloudUrlPattern,
  healthAddress: everyAddressPattern,
  cidr: `^(?:${ipv4}/(?:3[0-2]|[12]?\\d)|${ipv6}/(?:12[0-8]|1[01]\\d|[1-9]?\\d))$`,
} as const;

/** templates/_patterns.tpl. */
export const patternsTemplate = `{{- /* Generated from scripts/chart/checked-patterns.ts by npm run generate. Do not edit. */ -}}
${Object.entries(checkedPatterns)
  .map(([name, pattern]) => `{{- define "operator.pattern.${name}" -}}{{ \`${pattern}\` }}{{- end -}}\n`)
  .join('')}`;
