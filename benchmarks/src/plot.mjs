// @ts-check
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { curves } from './plots/curves.mjs';
import { headlines } from './plots/headlines.mjs';
import { mutexbenchPictures } from './plots/mutexbench-pictures.mjs';
import { lockTitles, panel } from './plots/panel.mjs';
import { newestResults, NoResults, provenance, readPoints } from './plots/points.mjs';
import { draw, hasFont } from './plots/render.mjs';
import { figuresOf, fillPage } from './plots/semabench-page.mjs';
import { curvePictures, familyPictures } from './plots/semabench-pictures.mjs';
import { readSemabench } from './plots/semabench-points.mjs';

const usage = `npm run bench:plot -- [mutexbench|semabench|curves|headlines ...] [--results DIRECTORY] [--out DIRECTORY]

Draws the newest results of each, or of those named, as SVG and PNG. Those of semabench are written into its page as well.
"curves" draws results/<date>-semabench-curves.jsonl and <date>-mutexbench-curves.jsonl, runs with the papers' repetitions and seconds.
"headlines" draws the pictures of the front pages.

  --results DIR   where the JSON lines are (benchmarks/results)
  --out DIR       where the figures and the page semabench.md are (docs)`;

/** @typedef {{ results: string, out: string }} Places */

/** @param {Places} places */
async function plotMutexbench({ results, out }) {
  const file = newestResults(results);
  const points = readPoints(file);
  console.log(`${file}: ${points.length} points; ${provenance(points)}`);
  const figures = new Map(Object.keys(lockTitles).map((lock) => [lock, panel(points, lock)]));
  for (const [name, figure] of figures) {
    if (figure === null) console.log(`no points for ${name}`);
    else for (const path of await draw(figure, out, `mutexbench-${name}`)) console.log(path);
  }
}

/** @param {Places} places */
async function plotSemabench({ results, out }) {
  const file = newestResults(results, 'semabench');
  const points = readSemabench(file);
  const { contended, uncontended } = points;
  if (contended.length === 0) throw new NoResults(`no points of semabench in ${file}`);
  const subtitle = provenance(contended);
  console.log(`${file}: ${contended.length + uncontended.length} points; ${subtitle}`);
  const pictures = [];
  for (const picture of familyPictures) {
    const specification = curves(
      contended.filter(({ series }) => series === picture.series),
      picture,
      provenance,
    );
    if (specification === null) {
      console.log(`no points for ${picture.name}`);
      continue;
    }
    const name = `semabench-${picture.name}`;
    for (const path of await draw(specification, out, name)) console.log(path);
    pictures.push({ title: picture.question, file: `${name}.svg` });
  }
  const page = join(out, 'semabench.md');
  writeFileSync(page, fillPage(readFileSync(page, 'utf8'), figuresOf(points, subtitle, pictures)));
  console.log(page);
}

/** The pages name these pictures by hand. @param {Places} places */
async function plotCurves({ results, out }) {
  const semaphores = newestResults(results, 'semabench-curves');
  const contended = readSemabench(semaphores).contended.filter(({ series }) => series === 'blocking');
  console.log(`${semaphores}: ${contended.length} points; ${provenance(contended)}`);
  for (const picture of curvePictures)
    await drawCurves(curves(contended, picture, provenance), out, `semabench-${picture.name}`);
  const locks = newestResults(results, 'mutexbench-curves');
  const points = readPoints(locks);
  console.log(`${locks}: ${points.length} points; ${provenance(points)}`);
  for (const picture of mutexbenchPictures)
    await drawCurves(curves(points, picture, provenance), out, `mutexbench-${picture.name}`);
}

/**
 * @param {import('vega-lite').TopLevelSpec | null} specification
 * @param {string} out
 * @param {string} name
 */
async function drawCurves(specification, out, name) {
  if (specification === null) console.log(`no points for ${name}`);
  else for (const path of await draw(specification, out, name)) console.log(path);
}

/** @param {Places} places */
async function plotHeadlines({ results, out }) {
  for (const [name, specification] of headlines(results))
    for (const path of await draw(specification, out, `headline-${name}`)) console.log(path);
}

const plots = {
  mutexbench: plotMutexbench,
  semabench: plotSemabench,
  curves: plotCurves,
  headlines: plotHeadlines,
};

async function run() {
  const text = { type: /** @type {const} */ ('string') };
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { results: text, out: text, help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const known = Object.entries(plots);
  const unknown = positionals.find((name) => !(name in plots));
  if (unknown !== undefined) throw new Error(`there are no figures of ${unknown}`);
  if (!hasFont()) console.log('this machine has no font: no PNG');
  const results = values.results ?? fileURLToPath(new URL('../results', import.meta.url));
  const out = values.out ?? fileURLToPath(new URL('../../docs', import.meta.url));
  const named = positionals.length > 0;
  for (const [name, plot] of known) {
    if (named && !positionals.includes(name)) continue;
    try {
      await plot({ results, out });
    } catch (error) {
      // If this one was not requested, the others are drawn nevertheless.
      if (named || !(error instanceof NoResults)) throw error;
      console.log(error.message);
    }
  }
}

try {
  await run();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
