// @ts-check
// The results of a run, as text.
import { inspect } from 'node:util';
import { verdicts } from './memory.mjs';

/** @import { Verdict } from './memory.mjs' */
/** @import { Sample, Soak } from './soak.mjs' */
/** @import { Row } from './tally.mjs' */

/**
 * @typedef {object} Conditions
 * @property {string} profile
 * @property {number} seed
 * @property {number} workers
 * @property {number} killEvery
 * @property {string} date
 * @property {string} machine
 * @property {string} node
 * @property {string} commit
 */
/**
 * @typedef {object} Result
 * @property {Conditions} conditions
 * @property {number} seconds
 * @property {number} paused seconds
 * @property {number} cpuSeconds
 * @property {number} rests
 * @property {number} renewals
 * @property {number} closes
 * @property {number} ownKills of the pool's workers
 * @property {number} giveUps
 * @property {{ kills: number, giveUps: number }} goals
 * @property {{ agents: number, waits: number, chains: number, pending: number }} recoveries
 * @property {readonly (Row & { name: string })[]} rows
 * @property {Row} total
 * @property {readonly Verdict[]} memory
 */

/**
 * @param {Soak} soak @param {Conditions} conditions @param {readonly { name: string }[]} subjects @param
 *   {Result['goals']} goals
 * @returns {Result}
 */
export function resultOf(soak, conditions, subjects, goals) {
  const { tally, samples, rests, giveUps } = soak;
  const { renewals, closes, ownKills } = soak.primitives;
  return {
    conditions,
    seconds: Math.round(soak.seconds),
    paused: Math.round(soak.pausedSeconds),
    cpuSeconds: samples.at(-1)?.cpuSeconds ?? 0,
    rests,
    renewals,
    closes,
    ownKills,
    giveUps,
    goals,
    recoveries: tally.recoveries,
    rows: subjects.map(({ name }, index) => ({ name, .../** @type {Row} */ (tally.rows[index]) })),
    total: tally.total,
    memory: verdicts(samples),
  };
}

/**
 * Merges several runs of one profile. Counts are added up. The conditions and the memory are those of the longest run.
 * @param {readonly Result[]} results at least one
 * @returns {Result}
 */
export function merged(results) {
  const [longest] = [...results].sort((a, b) => b.seconds - a.seconds);
  if (longest === undefined) throw new RangeError('There is no result.');
  const sum = (/** @type {(result: Result) => number} */ of) =>
    results.reduce((total, result) => total + of(result), 0);
  return {
    ...longest,
    seconds: sum(({ seconds }) => seconds),
    paused: sum(({ paused }) => paused),
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    rests: sum(({ rests }) => rests),
    renewals: sum(({ renewals }) => renewals),
    closes: sum(({ closes }) => closes),
    ownKills: sum(({ ownKills }) => ownKills),
    giveUps: sum(({ giveUps }) => giveUps),
    goals: {
      kills: Math.max(...results.map(({ goals }) => goals.kills)),
      giveUps: Math.max(...results.map(({ goals }) => goals.giveUps)),
    },
    recoveries: sumOf(results.map(({ recoveries }) => recoveries)),
    rows: longest.rows.map(({ name }) => {
      const rows = results.flatMap(({ rows }) => rows.filter((row) => row.name === name));
      return { name, ...sumOf(rows.map(({ name: _, ...counts }) => counts)) };
    }),
    total: sumOf(results.map(({ total }) => total)),
  };
}

/** @template {Record<string, number>} T @param {readonly T[]} all @returns {T} */
function sumOf(all) {
  const sums = /** @type {Record<string, number>} */ ({});
  for (const one of all) for (const [key, n] of Object.entries(one)) sums[key] = (sums[key] ?? 0) + n;
  return /** @type {T} */ (sums);
}

/** @param {number} n */
export const grouped = (n) => Math.round(n).toLocaleString('en-US');

/** @param {number} seconds */
export function clockOf(seconds) {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** One line. @param {Sample} sample */
export function progressOf({ seconds, totals, memory, rests }) {
  const { operations = 0, timeouts = 0, aborts = 0, kills = 0 } = totals;
  const counts = `${grouped(operations)} operations, ${grouped(timeouts + aborts)} given up, ${grouped(kills)} kills, ${grouped(rests)} rests`;
  return `${clockOf(seconds)}  ${counts}, rss ${memory.rss} MiB, arena ${memory.arena} MiB, ${grouped(memory.elements)} elements`;
}

/** @type {readonly (readonly [title: string, of: (row: Row) => string])[]} */
const COLUMNS = [
  ['Operations', ({ operations }) => grouped(operations)],
  ['Sleeps', ({ sleeps }) => grouped(sleeps)],
  ['Timed out', ({ timeouts }) => grouped(timeouts)],
  ['Aborted', ({ aborts }) => grouped(aborts)],
  ['Kills', ({ kills }) => grouped(kills)],
  ['Recovered', ({ permits, locks, buffers }) => recovered(permits, locks, buffers)],
];

/** @param {number} permits @param {number} locks @param {number} buffers */
function recovered(permits, locks, buffers) {
  const parts = [
    [permits, 'permit'],
    [locks, 'lock'],
    [buffers, 'copy'],
  ].flatMap(([n, what]) => (n === 0 ? [] : [`${grouped(Number(n))} ${plural(String(what), Number(n))}`]));
  return parts.length === 0 ? '–' : parts.join(', ');
}

/** @param {string} word @param {number} n */
const plural = (word, n) => (n === 1 ? word : word === 'copy' ? 'copies' : `${word}s`);

/** @param {Result} result */
export function tableOf({ rows, total }) {
  const lines = [
    ...rows.map((row) => [row.name, ...COLUMNS.map(([, of]) => of(row))]),
    ['**all**', ...COLUMNS.map(([, of]) => of(total))],
  ];
  const head = ['Primitive', ...COLUMNS.map(([title]) => title)];
  return [head, head.map((_, column) => (column === 0 || column === head.length - 1 ? '---' : '---:')), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** @param {Result} result */
export function memoryTableOf({ memory }) {
  const value = (/** @type {number} */ n, /** @type {string} */ unit) =>
    `${unit === '' ? grouped(n) : n.toFixed(1)}${unit === '' ? '' : ` ${unit}`}`;
  const lines = memory.map(({ measure, first, last, largest, growth, most, unit, verdict }) => {
    const cells = [
      measure,
      value(first, unit),
      value(last, unit),
      value(largest, unit),
      value(growth, unit),
      value(most, unit),
      verdict === 'missed' ? '**missed**' : verdict,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| | First | Last | Largest | Growth | Bound | |',
    '| --- | ---: | ---: | ---: | ---: | ---: | --- |',
    ...lines,
  ].join('\n');
}

/** The text that is printed at the end. @param {Result} result */
export function summaryOf(result) {
  const { seconds, rests, recoveries, giveUps, total } = result;
  const { agents, waits, chains } = recoveries;
  const first = `${clockOf(seconds)}, ${grouped(rests)} rests without a fault, ${grouped(total.kills)} kills, ${grouped(giveUps)} waits that gave up`;
  const second = `recovered: ${grouped(agents)} agents, ${grouped(waits)} waits, ${grouped(chains)} chains`;
  return `\n${tableOf(result)}\n\n${memoryTableOf(result)}\n\n${first}\n${second}\n`;
}

/** @param {string} failure @param {number} seed @param {unknown} state */
export function failureText(failure, seed, state) {
  return `\nFAILED (seed ${seed}): ${failure}\n${inspect(state, { depth: 7, maxArrayLength: 300, breakLength: 160 })}\n`;
}
