// @ts-check
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { lockTitles, panel } from './plots/panel.mjs';
import { newestResults, provenance, readPoints } from './plots/points.mjs';
import { draw, hasFont } from './plots/render.mjs';
import { scatter } from './plots/scatter.mjs';

const usage = `npm run bench:plot -- [--results DIRECTORY] [--out DIRECTORY]

Draws the newest results of mutexbench as SVG and PNG.

  --results DIR   where the JSON lines are (benchmarks/results)
  --out DIR       where the figures go (docs)`;

async function run() {
  const text = { type: /** @type {const} */ ('string') };
  const { values } = parseArgs({ options: { results: text, out: text, help: { type: 'boolean', short: 'h', default: false } } });
  if (values.help) {
    console.log(usage);
    return;
  }
  const file = newestResults(values.results ?? fileURLToPath(new URL('../results', import.meta.url)));
  const directory = values.out ?? fileURLToPath(new URL('../../docs', import.meta.url));
  const points = readPoints(file);
  const subtitle = provenance(points);
  console.log(`${file}: ${points.length} points; ${subtitle}`);
  if (!hasFont()) console.log('this machine has no font: no PNG');

  const figures = new Map(Object.keys(lockTitles).map((lock) => [lock, panel(points, lock, subtitle)]));
  figures.set('scatter', scatter(points, subtitle));
  for (const [name, figure] of figures) {
    if (figure === null) console.log(`no points for ${name}`);
    else for (const path of await draw(figure, directory, `mutexbench-${name}`)) console.log(path);
  }
}

try {
  await run();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
