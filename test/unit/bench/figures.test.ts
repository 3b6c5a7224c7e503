import { expect, test } from 'vitest';
import { figures, type Figure } from '../../bench/budgets.ts';
import { countsBy, difference, inWords, samplesOf, total } from '../../bench/counts.ts';
import { cpuSecondsIn, memoryIn } from '../../bench/proc.ts';
import { median, medianOfRatios, quantile } from '../../bench/statistics.ts';
import { digits, heading, judge, line } from '../../bench/table.ts';

test.each([
  [[3], 3],
  [[9, 1, 5], 5],
  [[4, 1, 3, 2], 2.5],
])('the median of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected);
});

test('the two values of each round are compared, so a slow round does not count more', () => {
  const rounds = [
    { value: 10, of: 10 },
    { value: 110, of: 100 },
    { value: 6, of: 5 },
  ];
  expect(medianOfRatios(rounds)).toBe(1.1);
});

test('an empty list has no median and no quantile', () => {
  expect(() => median([])).toThrow(RangeError);
  expect(() => quantile([], 0.99)).toThrow(RangeError);
});

test.each([
  [0.5, 50],
  [0.99, 99],
  [1, 100],
])('the quantile %d of 1 to 100 is %d', (share, expected) => {
  expect(
    quantile(
      Array.from({ length: 100 }, (_, index) => 100 - index),
      share,
    ),
  ).toBe(expected);
});

test('CPU time is read whatever the program is called', () => {
  const rest = 'S 1 17 17 0 -1 4194560 1201 0 3 0 250 31 0 0 20 0 11 0 4455 1 2 3';
  expect(cpuSecondsIn(`17 (node) ${rest}`)).toBeCloseTo(2.81);
  expect(cpuSecondsIn(`17 (a) S (b) 9 9) ${rest}`)).toBeCloseTo(2.81);
  expect(() => cpuSecondsIn('17 (node) S')).toThrow('no CPU time');
});

test('memory is what is resident now, and the most that ever was', () => {
  const status =
    'Name:\tnode\nVmPeak:\t  999999 kB\nVmHWM:\t  204800 kB\nVmRSS:\t  102400 kB\nRssAnon:\t   7 kB\n';
  expect(memoryIn(status)).toEqual({ rssMib: 100, peakMib: 200 });
  expect(() => memoryIn('Name:\tkthreadd\n')).toThrow('VmRSS');
});

const exposition = `# HELP apiserver_request_total [STABLE] Counter of apiserver requests
# TYPE apiserver_request_total counter
apiserver_request_total{code="200",resource="secrets",subresource="",verb="GET"} 4
apiserver_request_total{code="404",resource="secrets",subresource="",verb="GET"} 1
apiserver_request_total{code="200",resource="managedservices",subresource="status",verb="PATCH"} 1.2e+03
# HELP apiserver_request_total_of_others is another one
# TYPE apiserver_request_total_of_others counter
apiserver_request_total_of_others 7
`;

test('requests are counted by verb and resource, whatever was answered', () => {
  const samples = samplesOf(exposition, 'apiserver_request_total');
  expect(samples).toHaveLength(3);
  const counts = countsBy(
    samples,
    ({ verb, resource, subresource }) =>
      `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}`,
  );
  expect(counts).toEqual({ 'GET secrets': 5, 'PATCH managedservices/status': 1_200 });
  expect(difference({ 'GET secrets': 5, 'PATCH managedservices/status': 200 }, counts)).toEqual({
    'PATCH managedservices/status': 1_000,
  });
  expect(total(counts, (name) => name.startsWith('GET'))).toBe(5);
  expect(inWords(counts)).toBe('1200 PATCH managedservices/status, 5 GET secrets');
});

test('a metric that is not served has no samples, also if its name is a prefix of a served metric', () => {
  expect(samplesOf(exposition, 'apiserver_request')).toEqual([]);
  expect(
    samplesOf(exposition, 'apiserver_request_total_of_others').map(({ value }) => value),
  ).toEqual([7]);
});

test.each([
  [3.5, 'ok', 1],
  [1.75, 'ok', 0.5],
  [3.51, 'over', 3.51 / 3.5],
  [Number.NaN, 'over', Number.NaN],
] as const)('%d ms of CPU for each service is %s', (value, verdict, ratio) => {
  expect(judge({ id: 'create.operator-cpu', value })).toMatchObject({ verdict, ratio });
});

test('seconds of CPU are judged by an earlier run of the same machine, where there is one', () => {
  const measured = { id: 'create.api-server-cpu', value: 20 } as const;
  expect(judge(measured)).toMatchObject({ verdict: '', most: undefined });
  expect(judge(measured, [{ id: 'create.api-server-cpu', value: 40 }])).toMatchObject({
    verdict: 'ok',
    most: 30,
  });
  expect(judge(measured, [{ id: 'create.api-server-cpu', value: 20 }])).toMatchObject({
    verdict: 'over',
    most: 15,
  });
  expect(
    judge({ id: 'create.operator-cpu', value: 7 }, [{ id: 'create.operator-cpu', value: 70 }]),
  ).toMatchObject({ most: 3.5 });
});

test('a figure without a budget gets no verdict', () => {
  expect(judge({ id: 'create.heap', value: 25 })).toMatchObject({ verdict: '', ratio: undefined });
});

test.each([
  [0, '0'],
  [0.0312, '0.03'],
  [1.5, '1.5'],
  [12.34, '12.3'],
  [1_234.5, '1235'],
  [Number.NaN, 'NaN'],
])('%d is written as %s', (value, expected) => {
  expect(digits(value)).toBe(expected);
});

test('each line fits into 80 columns, its cells under its heading', () => {
  expect(heading.length).toBeLessThanOrEqual(80);
  const long = figures.map(({ id }) => line(judge({ id, value: 1_234_567 })));
  expect(long.filter((text) => text.length > 80)).toEqual([]);
  expect(line(judge({ id: 'create.operator-cpu', value: 7 }))).toBe(
    'CPU of the operator, each service             7 ms        <= 3.5   2.00 over',
  );
});

test('each figure fits its column, has a name of its own, and its explanation is a sentence', () => {
  const told: readonly string[] = figures.map(({ id }) => id);
  expect(new Set(told).size).toBe(told.length);
  expect(
    figures.filter(
      ({ what, unit, meaning }: Figure) =>
        what.length > 38 || unit.length > 7 || meaning?.endsWith('.') === false,
    ),
  ).toEqual([]);
});
