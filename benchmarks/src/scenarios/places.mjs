// @ts-check
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';
import { waited } from '../subjects/places.mjs';

/** @typedef {import('../jobs/places.mjs').PlacesResult} PlacesResult */
/** @typedef {Omit<import('../jobs/places.mjs').PlacesSpecification, 'packages'>} Case */

export const name = 'places';
export const summary = 'what waits that give up leave behind, and how long the call takes that lets the line go on';
export const repetitions = 1;
/** A minute for each primitive. */
export const onlyWhenNamed = true;

const packages = new URL('../../../packages/', import.meta.url).href;
/** Another checkout with built packages, to compare with in the same run. */
const before = process.env['SLUICE_BEFORE'];
const head = ['primitive', 'packages', 'gave up', 'elements', 'ms to go on', 'longest turn, ms', 'goals'];

/** @param {import('../lib/context.mjs').Context} context */
export async function run(context) {
  const { quick, choice } = context;
  const seconds = choice.seconds ?? (quick ? 0.3 : 60);
  const subjects = waited.map((each) => each.class).filter((subject) => choice.subjects?.includes(subject) ?? true);
  await table(
    context,
    `8 workers that poll with 1 ms for ${seconds} s behind a holder`,
    subjects.map((subject) => ({ subject, what: 'polls', workers: 8, seconds })),
    { elements: 2000, millis: 5 },
  );
  if (choice.subjects !== undefined) return;
  const stormSeconds = Math.min(seconds, 10);
  await table(
    context,
    `32 workers that wait for 1 ms at most, for ${stormSeconds} s; elements, and the longest wait of a patient waiter`,
    [{ subject: 'Semaphore', what: 'storm', workers: 32, seconds: stormSeconds }],
    { elements: 10_000, millis: 500 },
  );
  const [some, many] = quick ? [1000, 2000] : [100_000, 1_000_000];
  const semaphores = waited.filter((each) => each.class.endsWith('Semaphore')).map((each) => each.class);
  await table(
    context,
    `${some} async waits aborted in mid-line`,
    semaphores.map((subject) => ({ subject, what: 'aborts', waits: some })),
    { elements: 2000, millis: 20 },
  );
  await table(
    context,
    `${many} async waits aborted in mid-line`,
    [{ subject: 'Semaphore', what: 'aborts', waits: many }],
    { millis: 200 },
  );
  await table(
    context,
    '10,000 async waits granted at once',
    [{ subject: 'Semaphore', what: 'grants', waits: 10_000 }],
    { turn: 20 },
  );
}

/**
 * @param {import('../lib/context.mjs').Context} context @param {string} title @param {readonly Case[]} cases
 * @param {{ elements?: number, millis?: number, turn?: number }} limits
 */
async function table({ report, quick, repetitions: times }, title, cases, limits) {
  /** @type {Map<string, () => Promise<PlacesResult>>} */
  const measurements = new Map();
  for (const each of cases) {
    for (const [label, folder] of folders()) {
      measurements.set(
        `${each.subject}\t${label}`,
        async () =>
          /** @type {PlacesResult} */ (
            await runJob(
              'places',
              { ...each, packages: folder },
              { timeoutMs: 600_000, flags: ['--max-old-space-size=6000'] },
            )
          ),
      );
    }
  }
  const rows = [];
  for (const [key, { values, failure }] of await interleave(measurements, times, report.progress)) {
    const [subject = '', label = ''] = key.split('\t');
    if (failure !== null) {
      report.fail(`${subject}, ${label}: ${title}`, failure);
      continue;
    }
    const of = (/** @type {keyof PlacesResult} */ figure) => median(values.map((value) => value[figure]));
    const [elements, millis, turn] = [of('elements'), of('releaseMillis'), of('longestTurnMillis')];
    const bars = [];
    if (!quick && label === 'these') {
      if (limits.elements !== undefined)
        bars.push(bar(`${subject}: elements, ${title}`, elements, { atMost: limits.elements }));
      if (limits.millis !== undefined)
        bars.push(bar(`${subject}: ms until the line goes on, ${title}`, millis, { atMost: limits.millis }));
      if (limits.turn !== undefined)
        bars.push(bar(`${subject}: ms of the longest turn, ${title}`, turn, { atMost: limits.turn }));
    }
    report.add({ subject, packages: label, what: title, elements, millis, longestTurn: turn, samples: values, bars });
    rows.push([
      subject,
      label,
      show(of('operations')),
      show(elements),
      show(millis),
      show(turn),
      bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(' '),
    ]);
  }
  report.table(`${title}, on ${currentRuntime.name}`, head, rows);
}

function folders() {
  const folders = [/** @type {const} */ (['these', packages])];
  return before === undefined
    ? folders
    : [...folders, /** @type {const} */ ([before, pathToFileURL(join(before, 'packages', '/')).href])];
}
