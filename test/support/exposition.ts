/** A sample: `name{label="value"} 1`. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of a metric, with those of a histogram under its suffixed names. */
export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/**
 * Reads the text format of Prometheus, version 0.0.4. Families keep the order of the text.
 * @throws {Error} with the line that is invalid, or that stands in the wrong family
 */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  const families = new Map<
    string,
    { name: string; type: string; help: string; samples: Sample[] }
  >();
  let current: { name: string; type: string; help: string; samples: Sample[] } | undefined;
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/u.exec(line) ?? [];
    if (keyword === 'HELP') {
      if (families.has(name)) throw new Error(`twice: ${line}`);
      current = { name, type: 'untyped', help: rest, samples: [] };
      families.set(name, current);
    } else if (keyword === 'TYPE') {
      if (current?.name !== name) throw new Error(`not after its help: ${line}`);
      current.type = rest;
    } else {
      const sample = sampleOf(line);
      if (!current || !belongs(sample.name, current)) throw new Error(`not in its family: ${line}`);
      current.samples.push(sample);
    }
  }
  return families;
}

/** `name{a="b",c="d"} 12`, without a time. */
function sampleOf(line: string): Sample {
  const [, name = '', inner, value = ''] =
    /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/u.exec(line) ?? [];
  const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value);
  // Prometheus accepts NaN in any case.
  if (name === '' || (Number.isNaN(number) && value.toLowerCase() !== 'nan'))
    throw new Error(`no sample: ${line}`);
  const labels: Record<string, string> = {};
  const rest = (inner ?? '').replaceAll(
    /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/gu,
    (_all, label: string, quoted: string) => {
      labels[label] = quoted.replaceAll(/\\(.)/gu, (_escape, sign: string) =>
        sign === 'n' ? '\n' : sign,
      );
      return '';
    },
  );
  if (rest !== '') throw new Error(`no labels: ${line}`);
  return { name, labels, value: number };
}

function belongs(name: string, family: { readonly name: string; readonly type: string }): boolean {
  if (name === family.name) return family.type !== 'histogram';
  const isPart =
    [`${family.name}_sum`, `${family.name}_count`].includes(name) &&
    ['histogram', 'summary'].includes(family.type);
  return isPart || (family.type === 'histogram' && name === `${family.name}_bucket`);
}
