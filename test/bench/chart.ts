import type { Judged } from './table.ts';

const row = { height: 26, top: 44, label: 290, bar: 420, end: 60 };
/** Longer ratios end at the edge. */
const longest = 2;

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A bar for each figure with a budget: how much of the budget it takes. The line is the budget. Light or dark as its reader's screen is. */
export function chart(results: readonly Judged[], title: string): string {
  const bars = results.filter(({ ratio }) => ratio !== undefined);
  const width = row.label + row.bar + row.end;
  const height = row.top + bars.length * row.height + 12;
  const unit = row.bar / longest;
  const lines = bars.map(({ what, ratio = Number.NaN, verdict }, index) => {
    const y = row.top + index * row.height;
    const long = Number.isFinite(ratio) ? Math.max(Math.min(ratio, longest) * unit, 1) : row.bar;
    return [
      `<text x="${row.label - 10}" y="${y + 15}" text-anchor="end">${escaped(what)}</text>`,
      `<rect class="${verdict === 'ok' ? 'good' : 'bad'}" x="${row.label}" y="${y + 3}" width="${long.toFixed(1)}" height="${row.height - 8}" rx="3"/>`,
      `<text x="${(row.label + long + 6).toFixed(1)}" y="${y + 15}">${ratio.toFixed(2)}</text>`,
    ].join('');
  });
  const budget = row.label + unit;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escaped(title)}</title>
<style>
  text { fill: #1f2328; font: 12px ui-sans-serif, system-ui, sans-serif }
  .page { fill: #f6f8fa; stroke: #d0d7de }
  .good { fill: #1a7f37 }
  .bad { fill: #cf222e }
  line { stroke: #1f2328; stroke-dasharray: 4 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .page { fill: #0d1117; stroke: #30363d }
    .good { fill: #3fb950 }
    .bad { fill: #f85149 }
    line { stroke: #e6edf3 }
  }
</style>
<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
<text x="${budget}" y="24" text-anchor="middle">budget</text>
${lines.join('\n')}
<line x1="${budget}" y1="30" x2="${budget}" y2="${height - 10}"/>
</svg>
`;
}
