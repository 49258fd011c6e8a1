// @ts-check
import { show } from '../lib/report.mjs';
import { core, nameOf, subjects } from '../scenarios/semabench-subjects.mjs';

// What docs/semabench.md says in figures: all of it stands between two marks and is written anew from the results.

/** @typedef {import('./semabench-points.mjs').SemabenchPoints} SemabenchPoints */
/** @typedef {import('./semabench-points.mjs').ContendedPoint} ContendedPoint */
/** @typedef {ContendedPoint['series']} Series */

const BEGIN = '<!-- figures: written by `npm run bench:plot`, not by hand -->';
const END = '<!-- end of figures -->';

/**
 * The page with other figures.
 * @param {string} page
 * @param {string} figures
 */
export function fillPage(page, figures) {
  const [before, rest, ...more] = page.split(BEGIN);
  const [, after, ...others] = rest?.split(END) ?? [];
  if (before === undefined || after === undefined || more.length + others.length > 0) {
    throw new Error(`the page needs one ${BEGIN} and one ${END} after it`);
  }
  return `${before}${BEGIN}\n\n${figures.trim()}\n\n${END}${after}`;
}

/** @param {number | null | undefined} value two decimals, and no more than they are worth */
function each(value) {
  if (value === null || value === undefined) return '';
  return value > 0 && value < 0.005 ? '< 0.01' : value.toFixed(2);
}

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/**
 * A row for each semaphore, a column for each number of workers.
 * @param {readonly ContendedPoint[]} points
 * @param {(point: ContendedPoint) => string} cell
 */
function overWorkers(points, cell) {
  const numbers = [...new Set(points.map(({ workers }) => workers))];
  const rows = subjects.flatMap((subject) => {
    const own = points.filter(({ key }) => key === subject.key);
    if (own.length === 0) return [];
    const cells = numbers
      .map((workers) => own.find((point) => point.workers === workers))
      .map((point) => (point ? cell(point) : ''));
    return [[nameOf(subject), ...cells]];
  });
  return table(['Workers', ...numbers.map(String)], rows);
}

/** @param {ContendedPoint} point */
const rateAndFairness = ({ handOversPerSecond, fairness }) => `${show(handOversPerSecond)}, ${each(fairness)}`;

/** @param {ContendedPoint} point */
const sleepsAndCalls = ({ wakeUpsEach, futileEach, notifiesEach }) =>
  wakeUpsEach === null ? '–' : `${each(wakeUpsEach)}, ${each(futileEach)}, ${each(notifiesEach)}`;

/** @param {ContendedPoint} point */
const deviationAndWorst = ({ relativeDeviation, worstWaitMillis }) =>
  `${each(relativeDeviation)}, ${show(worstWaitMillis)}`;

/** @param {SemabenchPoints['uncontended']} points */
function uncontendedTable(points) {
  const rows = subjects.flatMap((subject) => {
    const point = points.find(({ key }) => key === subject.key);
    return point ? [[nameOf(subject), show(point.pairNanos), show(point.ratio), show(point.overCore)]] : [];
  });
  return table(['', 'ns for a pair', 'over two bare additions', "over core's"], rows);
}

/**
 * Which of the family beat core's Semaphore, and where: a twentieth less time alone; or a tenth more hand-overs, and
 * its slowest run ahead of core's fastest.
 * @param {SemabenchPoints} points
 */
export function verdict({ contended, uncontended }) {
  const family = subjects.filter(({ native, key }) => native === undefined && !key.startsWith(core));
  const quicker = family.flatMap((subject) => {
    const over = uncontended.find(({ key }) => key === subject.key)?.overCore;
    return typeof over === 'number' && over <= 0.95 ? [`${nameOf(subject)} (${show(over)} of its time)`] : [];
  });
  const alone = `- Alone: ${quicker.length > 0 ? quicker.join(', ') : 'none is quicker by a twentieth or more'}.`;
  const lines = contended.flatMap((reference) => {
    const { key, series, workers, fastest, fairness } = reference;
    if (key !== core || workers === 1) return [];
    const more = family.flatMap((subject) => {
      const point = contended.find(
        (one) => one.key === subject.key && one.series === series && one.workers === workers,
      );
      const times = point ? point.handOversPerSecond / reference.handOversPerSecond : 0;
      return point && times >= 1.1 && point.slowest > fastest
        ? [`${nameOf(subject)} (${show(times)} times, fairness ${each(point.fairness)})`]
        : [];
    });
    const listed = more.length > 0 ? more.join(', ') : 'none';
    const where = series === 'mixed' ? `${workers} workers, half of which await` : `${workers} workers`;
    return [`- ${where}; core's fairness is ${each(fairness)}: ${listed}.`];
  });
  return [alone, ...lines].join('\n');
}

const RATES = 'Hand-overs a second, and the slowest worker over the fastest:';
const SLEEPS = 'For each hand-over: wake-ups, futile ones among them, calls that wake:';

/** @param {string} title @param {readonly unknown[]} points of it @param {readonly string[]} parts */
function section(title, points, parts) {
  return [`### ${title}`, ...(points.length > 0 ? parts : ['Not measured in this run.'])];
}

/**
 * @param {SemabenchPoints} points
 * @param {string} subtitle where and how they were taken
 * @param {readonly { title: string, file: string }[]} pictures
 */
export function figuresOf(points, subtitle, pictures) {
  const of = (/** @type {Series} */ series) => points.contended.filter((point) => point.series === series);
  const [blocking, mixed] = [of('blocking'), of('mixed')];
  const parts = [
    `${subtitle}. A star: in no strict order. "< 0.01" is more than nothing.`,
    ...pictures.map(({ title, file }) => `![${title}](${file})`),
    ...section('One worker alone', points.uncontended, [uncontendedTable(points.uncontended)]),
    ...section('All block', blocking, [
      RATES,
      overWorkers(blocking, rateAndFairness),
      SLEEPS,
      overWorkers(blocking, sleepsAndCalls),
      "The standard deviation of the workers' hand-overs over their mean, and the longest wait in ms:",
      overWorkers(blocking, deviationAndWorst),
    ]),
    ...section('Every other worker awaits', mixed, [
      RATES,
      overWorkers(mixed, rateAndFairness),
      SLEEPS,
      overWorkers(mixed, sleepsAndCalls),
    ]),
    "### Which beat core's Semaphore",
    "By a twentieth of the time alone, or by a tenth more hand-overs and with its slowest run ahead of core's fastest:",
    verdict(points),
  ];
  return parts.join('\n\n');
}
