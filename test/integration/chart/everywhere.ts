import { leaves } from '../../../scripts/chart/render-values.ts';
import { chartValues } from '../../../scripts/chart/values.ts';
import { at, merged } from './templates.ts';

/** Their kinds are not there. */
const ofPrometheus = /^metrics\.(?:serviceMonitor|prometheusRule)/u;

/** The ledger is in no namespace that another value names. */
const ofLedger = 'config.ledgerNamespace';

/** Values with this text in each place that takes it, as itself, in a list, and as name or value of an entry. */
export function everywhere(text: string): object {
  const shapes = (path: string) => [
    text,
    [text],
    { [path]: text },
    // A label of the same name in two places is refused for that.
    ...(path === 'commonLabels' ? [] : [{ [text]: text }]),
    [{ name: text }],
    [{ name: 'x', value: text }],
  ];
  const taken = leaves
    .filter(({ path }) => path !== ofLedger && !ofPrometheus.test(path))
    .flatMap(({ path }) => shapes(path).map((shape) => at(path, shape)))
    .filter((values) => chartValues.safeParse(values).success);
  return [...taken, at('config.cloudUrl', 'https://api.example.com')].reduce(merged, {});
}
