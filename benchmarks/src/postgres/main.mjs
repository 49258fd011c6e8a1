// @ts-check
// Locks over one Postgres server, beside each other, and what they are to reach:
// npm run bench:postgres [-- saturated crowd uncontended idle bloat] [--seconds 3] [--rounds 1] [--fsync].
import { findProgram, startServer } from '@sluice/postgres-server';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import process, { argv, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { SUBJECTS } from './subjects.mjs';

const program = fileURLToPath(new URL('child.mjs', import.meta.url));
const LIMIT_MS = 120_000;

/** @typedef {{ title: string, processes: number, waiters: number, hold: number, subjects: readonly string[] }} Scenario */

const MUTEXES = [
  'sluice mutex',
  'sluice mutex, bypass 16',
  'sluice mutex, bypass 16, linger 1 s',
  'sluice mutex, poll 10 ms',
  'pg_advisory_lock',
];

/** @type {Record<string, Scenario>} */
const SCENARIOS = {
  saturated: { title: '2 processes x 4 waiters', processes: 2, waiters: 4, hold: 0, subjects: MUTEXES },
  crowd: {
    title: '4 processes x 64 waiters',
    processes: 4,
    waiters: 64,
    hold: 0,
    subjects: ['sluice mutex', 'sluice mutex, bypass 16'],
  },
  uncontended: {
    title: '1 process, 1 waiter',
    processes: 1,
    waiters: 1,
    hold: 0,
    subjects: ['two BEGIN, SELECT, COMMIT', ...MUTEXES],
  },
};

const { values, positionals } = parseArgs({
  args: argv.slice(2),
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '1' },
    /** The server waits for the disk at each commit, as it does by default. */
    fsync: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
const names = positionals.length > 0 ? positionals : [...Object.keys(SCENARIOS), 'idle', 'bloat'];

const found = findProgram();
if (found.kind === 'none') throw new Error(`There is no Postgres server: ${found.why}`);
const server = await startServer({ program: found, args: values.fsync ? ['-c', 'fsync=on'] : [] });
const pool = new pg.Pool({ connectionString: server.url });

/** @param {number[]} numbers */
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** @param {string} text @param {boolean} isMet */
function bar(text, isMet) {
  stdout.write(`  bar: ${text}: ${isMet ? 'met' : 'MISSED'}\n`);
}

/** @param {import('node:child_process').ChildProcess} child */
async function messageOf(child) {
  const ended = once(child, 'disconnect').then(() => {
    throw new Error('A process ended instead of answering');
  });
  ended.catch(() => undefined);
  return Promise.race([once(child, 'message').then(([message]) => message), ended]);
}

/** @param {string} subject @param {Scenario} scenario */
async function run(subject, { processes, waiters, hold }) {
  await pool.query('DROP SCHEMA IF EXISTS sluice CASCADE');
  const children = Array.from({ length: processes }, () =>
    fork(program, [server.url, subject, waiters, hold, 0, seconds].map(String)),
  );
  const limit = setTimeout(() => children.forEach((child) => child.kill('SIGKILL')), LIMIT_MS);
  await Promise.all(children.map(messageOf));
  const results = children.map(messageOf);
  for (const child of children) child.send('go');
  const reports = /** @type {{ passes: number[], waits: number[] }[]} */ (await Promise.all(results));
  await Promise.all(
    children
      .filter((child) => child.exitCode === null && child.signalCode === null)
      .map((child) => once(child, 'exit')),
  );
  clearTimeout(limit);
  const passes = reports.flatMap((report) => report.passes);
  const waits = reports.flatMap((report) => report.waits).toSorted((a, b) => a - b);
  const perSecond = passes.reduce((sum, count) => sum + count, 0) / seconds;
  return {
    perSecond,
    fairness: Math.min(...passes) / Math.max(...passes, 1),
    p50: waits[Math.floor(waits.length / 2)] ?? 0,
    p99: waits[Math.floor(waits.length * 0.99)] ?? 0,
    /** How long the line takes to serve each waiter once, in ms. */
    round: perSecond > 0 ? (1000 * processes * waiters) / perSecond : Infinity,
  };
}

/** @param {string} name @param {Scenario} scenario */
async function compare(name, scenario) {
  stdout.write(
    `\n${name}: ${scenario.title}; ${seconds} s each, ${values.rounds} rounds, fsync ${values.fsync ? 'on' : 'off'}\n`,
  );
  stdout.write(`${'subject'.padEnd(40)}     /s  min/max   p50 ms   p99 ms   rounds\n`);
  for (const subject of scenario.subjects) {
    /** @type {Awaited<ReturnType<typeof run>>[]} */
    const rows = [];
    for (let i = 0; i < Number(values.rounds); i++) rows.push(await run(subject, scenario));
    const of = (/** @type {'perSecond' | 'fairness' | 'p50' | 'p99' | 'round'} */ key) =>
      median(rows.map((row) => row[key]));
    stdout.write(
      `${subject.padEnd(40)}${of('perSecond').toFixed(0).padStart(7)}${of('fairness').toFixed(2).padStart(9)}${of('p50').toFixed(2).padStart(9)}${of('p99').toFixed(2).padStart(9)}${(of('p99') / of('round')).toFixed(2).padStart(9)}\n`,
    );
    if (name === 'saturated' && subject === 'sluice mutex') bar('500 hand-overs a second', of('perSecond') >= 500);
    if (name === 'crowd' && subject === 'sluice mutex')
      bar('p99 of a wait is at most 1.2 rounds at 256 waiters', of('p99') <= 1.2 * of('round'));
  }
}

/** How many connections a process has that does nothing. */
async function idle() {
  const subject = await SUBJECTS['sluice mutex']?.(server.url);
  await (await subject?.take())?.();
  const { rows } = await pool.query("SELECT state FROM pg_stat_activity WHERE application_name = 'sluice'");
  stdout.write(`\nidle: ${rows.length} connections of a process that does nothing\n`);
  bar('one idle connection', rows.length === 1);
  await subject?.close();
}

/** How large the tables are after many cycles. */
async function bloat() {
  const cycles = 1000 * seconds;
  const subject = await SUBJECTS['sluice mutex']?.(server.url);
  const size = async () => {
    /** @type {{ rows: { bytes: number }[] }} */
    const { rows } = await pool.query(
      "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::int AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'sluice' AND c.relkind = 'r'",
    );
    return Number(rows[0]?.bytes);
  };
  for (let i = 0; i < 100; i++) await (await subject?.take())?.();
  const before = await size();
  for (let i = 0; i < cycles; i++) await (await subject?.take())?.();
  const after = await size();
  stdout.write(`\nbloat: ${before} bytes after 100 cycles, ${after} bytes after ${cycles} more\n`);
  bar('the tables do not grow', after <= 2 * before);
  await subject?.close();
}

try {
  for (const name of names) {
    const scenario = SCENARIOS[name];
    if (scenario !== undefined) await compare(name, scenario);
    else if (name === 'idle') await idle();
    else if (name === 'bloat') await bloat();
    else throw new Error(`There is no scenario ${name}: choose of ${Object.keys(SCENARIOS).join(', ')}, idle, bloat`);
  }
} finally {
  await pool.end();
  await server.stop();
  process.exitCode ??= 0;
}
