// @ts-check
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hollowCopy } from '../lib/hollow-copy.mjs';
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime, findNode } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/start-up.mjs').StartUpResult} StartUpResult */
/** @typedef {import('../lib/runtimes.mjs').Runtime} Runtime */

/**
 * @typedef {object} Case
 * @property {Omit<import('../jobs/start-up.mjs').StartUpSpecification, 'workers'>} specification
 * @property {Runtime} runtime
 * @property {{ atMost: number } | undefined} [limit] in ms over an empty worker
 */

export const name = 'start-up';
export const summary = 'CPU and wall time of a worker that opens its first semaphore, over an empty worker';

const EMPTY = 'empty worker';
const READS = 'reads as many files of the same bytes, all comments';
const PARSES = 'the same, all in functions that nobody calls';
const IMPORTS = 'imports the core';
const OPENS = 'opens a semaphore';
const USES = 'opens a semaphore, and acquires and releases';
const COMPILES = 'opens a semaphore, handle without module';
/** What each part of a start costs: a case, and the one that does all but this. */
const PARTS = /** @type {const} */ ([
  ['reading the files', READS, EMPTY],
  ['parsing functions', PARSES, READS],
  ['compiling and running the top level', IMPORTS, PARSES],
  ['`from`', OPENS, IMPORTS],
  ['the first `acquire` and `release`', USES, OPENS],
  ['all of these', USES, EMPTY],
  ['module text to bytes, and compiling WebAssembly, if the handle has no module', COMPILES, OPENS],
]);
const emptyFile = (/** @type {string} */ name) => new URL(`../workers/empty-modules/${name}.mjs`, import.meta.url).href;
/** Another checkout with built packages, to compare with in the same run. */
const before = process.env['SLUICE_BEFORE'];
const core = import.meta.resolve('@sluice/core');

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const copies = /** @type {const} */ ([hollowCopy(core, 'comments'), hollowCopy(core, 'function')]);
  const compileCache = mkdtempSync(join(tmpdir(), 'sluice-compile-cache-'));
  try {
    const node24 = await findNode(24, { fetch: !quick });
    if (node24 === null) report.note('skipped: no Node 24 was found (name one in SLUICE_NODE24)');
    const cases = casesOf(copies[0].url, copies[1].url, node24, compileCache);
    const workers = quick ? 1 : 7;
    const measurements = new Map(
      [...cases].map(([title, { specification, runtime }]) => [
        title,
        async () =>
          /** @type {StartUpResult} */ (
            await runJob('start-up', { ...specification, workers }, { timeoutMs: 60_000, runtime })
          ),
      ]),
    );
    print(report, quick, repetitions, cases, await interleave(measurements, repetitions, report.progress));
  } finally {
    for (const { remove } of copies) remove();
    rmSync(compileCache, { recursive: true, force: true });
  }
}

/**
 * @param {string} comments
 * @param {string} functions
 * @param {Runtime | null} node24
 * @param {string} compileCache
 */
function casesOf(comments, functions, node24, compileCache) {
  const here = currentRuntime;
  /** @param {string} url */
  const floor = (url) => ({
    specification: { core: url, step: /** @type {const} */ ('import'), maker: core, withModule: true },
    runtime: here,
  });
  /** @param {import('../jobs/start-up.mjs').Step} step */
  const upTo = (step, withModule = true) => ({ specification: { core, step, withModule }, runtime: here });
  const nothing = { core: null, step: /** @type {const} */ ('import'), withModule: false };
  /** @type {Map<string, Case>} */
  const cases = new Map(
    /** @type {[string, Case][]} */ ([
      [EMPTY, { specification: nothing, runtime: here }],
      ['imports one empty file', floor(emptyFile('one'))],
      ['imports five empty files', floor(emptyFile('five'))],
      [READS, floor(comments)],
      [PARSES, floor(functions)],
      [IMPORTS, upTo('import')],
      [OPENS, { ...upTo('open'), limit: { atMost: 8 } }],
      [USES, upTo('pair')],
      [COMPILES, upTo('open', false)],
    ]),
  );
  if (before !== undefined) {
    const specification = { core: coreOf(before), step: /** @type {const} */ ('open'), withModule: true };
    cases.set(`${OPENS}, ${before}`, { specification, runtime: here });
  }
  if (node24 !== null) {
    const opens = upTo('open').specification;
    cases.set(`${EMPTY}, Node 24`, { specification: nothing, runtime: node24 });
    cases.set(`${OPENS}, Node 24`, { specification: opens, runtime: node24 });
    cases.set(`${OPENS}, Node 24 with its compile cache`, {
      specification: { ...opens, compileCache },
      runtime: node24,
      limit: { atMost: 4 },
    });
  }
  return cases;
}

/**
 * @param {import('../lib/context.mjs').Context['report']} report
 * @param {boolean} quick
 * @param {number} repetitions
 * @param {ReadonlyMap<string, Case>} cases
 * @param {Awaited<ReturnType<typeof interleave<StartUpResult>>>} outcomes
 */
function print(report, quick, repetitions, cases, outcomes) {
  /** @param {string} title */
  const valuesOf = (title) => outcomes.get(title)?.values ?? [];
  // Within each repetition: a slow minute of the machine hits both.
  const over = (/** @type {string} */ title, /** @type {string} */ base, /** @type {keyof StartUpResult} */ what) => {
    const [values, bases] = [valuesOf(title), valuesOf(base)];
    if (values.length === 0 || values.length !== bases.length) return null;
    return median(values.map((value, n) => value[what] - (bases[n]?.[what] ?? 0)));
  };
  const rows = [];
  for (const [title, { values, failure }] of outcomes) {
    if (failure !== null) {
      report.fail(title, failure);
      continue;
    }
    const { limit, runtime = currentRuntime } = cases.get(title) ?? {};
    const empty = runtime === currentRuntime ? EMPTY : `${EMPTY}, Node 24`;
    const overEmpty = over(title, empty, 'cpuMillis');
    const bars =
      quick || limit === undefined || overEmpty === null
        ? []
        : [bar(`${title}, ms of CPU over an empty worker`, overEmpty, limit)];
    const cpuMillis = median(values.map((value) => value.cpuMillis));
    report.add({ subject: title, runtime: runtime.name, repetitions, cpuMillis, overEmpty, samples: values, bars });
    rows.push([
      title,
      show(cpuMillis),
      show(overEmpty),
      show(median(values.map((value) => value.wallMillis))),
      bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(),
    ]);
  }
  report.table(
    `One worker on ${currentRuntime.name}, median of ${repetitions}`,
    ['worker', 'ms of CPU', 'over empty', 'ms until its end', 'bar'],
    rows,
  );
  report.table(
    'What it consists of, ms over the worker that does all but this',
    ['part', 'CPU', 'wall'],
    PARTS.map(([part, title, base]) => [
      part,
      show(over(title, base, 'cpuMillis')),
      show(over(title, base, 'wallMillis')),
    ]),
  );
}

/** @param {string} checkout */
function coreOf(checkout) {
  return pathToFileURL(join(checkout, 'packages', 'core', 'dist', 'index.js')).href;
}
