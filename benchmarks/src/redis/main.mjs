// @ts-check
// Locks over one Redis server, beside each other, and what they are to reach:
// npm run bench:redis [-- saturated think crowd semaphore uncontended faults] [--seconds 3] [--rounds 1] [--store].
import { ask, findProgram, startServer } from '@sluice/redis-server';
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process, { argv, execPath, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeSurroundings } from '../lib/machine.mjs';
import { createReport } from '../lib/report.mjs';
import { GOALS, median, verdict } from './goals.mjs';

const program = fileURLToPath(new URL('child.mjs', import.meta.url));
const root = fileURLToPath(new URL('../../../', import.meta.url));
const RESULTS = fileURLToPath(new URL('../../results', import.meta.url));
const LIMIT_MS = 60_000;

/**
 * @typedef {{ title: string, processes: number, waiters: number, hold: number, think: number, subjects: readonly
 *   string[] }} Scenario
 */

const PEERS = ['redis-semaphore Mutex', 'redlock, 10 ms', 'redlock-universal, 100 ms'];
const MUTEXES = [
  'sluice mutex',
  'sluice mutex, bypass 4',
  'sluice mutex, bypass 16',
  'sluice mutex, bypass 16, linger 1 s',
  ...PEERS,
];

/** @type {Record<string, Scenario>} */
const SCENARIOS = {
  saturated: {
    title: '4 processes x 4 waiters, hold 2 ms',
    processes: 4,
    waiters: 4,
    hold: 2,
    think: 0,
    subjects: MUTEXES,
  },
  think: {
    title: '4 processes x 4 waiters, hold 2 ms, think 0 to 40 ms',
    processes: 4,
    waiters: 4,
    hold: 2,
    think: 40,
    subjects: MUTEXES,
  },
  crowd: {
    title: '4 processes x 64 waiters, hold 2 ms',
    processes: 4,
    waiters: 64,
    hold: 2,
    think: 0,
    subjects: MUTEXES,
  },
  semaphore: {
    title: 'four permits, 4 processes x 4 waiters, hold 5 ms, think 0 to 10 ms',
    ...{ processes: 4, waiters: 4, hold: 5, think: 10 },
    subjects: ['sluice semaphore', 'sluice semaphore, bypass 16, linger 1 s', 'redis-semaphore Semaphore'],
  },
  uncontended: {
    title: '1 process, 1 waiter',
    processes: 1,
    waiters: 1,
    hold: 0,
    think: 0,
    subjects: ['two PINGs', ...MUTEXES],
  },
};

const { values, positionals } = parseArgs({
  args: argv.slice(2),
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '1' },
    store: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
const names = positionals.length > 0 ? positionals : [...Object.keys(SCENARIOS), 'faults'];
for (const name of names) {
  if (name !== 'faults' && SCENARIOS[name] === undefined)
    throw new Error(`There is no scenario ${name}: choose of ${Object.keys(SCENARIOS).join(', ')}, faults`);
}

/** @param {number} port @param {string} section @param {RegExp} field the numbers to add up */
async function sumOf(port, section, field) {
  const text = String(await ask(port, 'INFO', section));
  return [...text.matchAll(field)].reduce((sum, [, number]) => sum + Number(number), 0);
}

/** Commands of clients, without those of scripts; and the CPU time of the server in us. @param {number} port */
async function usage(port) {
  return {
    commands: await sumOf(port, 'commandstats', /^cmdstat_(?:evalsha|eval|set|ping):calls=(\d+)/gm),
    micros: 1e6 * (await sumOf(port, 'cpu', /^used_cpu_(?:user|sys):([\d.]+)/gm)),
  };
}

/**
 * The next message of a process. Rejects if it ends before.
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} name
 */
async function messageOf(child, name) {
  const ended = once(child, 'disconnect').then(() => {
    throw new Error(`A process of ${name} ended instead of answering`);
  });
  ended.catch(() => undefined);
  return Promise.race([once(child, 'message').then(([message]) => message), ended]);
}

/**
 * @param {import('@sluice/redis-server').Server} server
 * @param {string} name
 * @param {Scenario} scenario
 * @returns {Promise<import('./goals.mjs').Row>}
 */
async function run(server, name, { processes, waiters, hold, think }) {
  await ask(server.port, 'FLUSHALL');
  const children = Array.from({ length: processes }, () =>
    fork(program, [server.url, name, waiters, hold, think, seconds].map(String)),
  );
  const limit = setTimeout(() => children.forEach((child) => child.kill('SIGKILL')), LIMIT_MS);
  await Promise.all(children.map((child) => messageOf(child, name)));
  const before = await usage(server.port);
  const results = children.map((child) => messageOf(child, name));
  for (const child of children) child.send('go');
  const reports = /** @type {{ passes: number[], takes: number, waits: number[] }[]} */ (await Promise.all(results));
  const after = await usage(server.port);
  await Promise.all(
    children
      .filter((child) => child.exitCode === null && child.signalCode === null)
      .map((child) => once(child, 'exit')),
  );
  clearTimeout(limit);
  const passes = reports.flatMap((report) => report.passes);
  const waits = reports.flatMap((report) => report.waits).toSorted((a, b) => a - b);
  const total = passes.reduce((sum, count) => sum + count, 0);
  const takes = Math.max(
    1,
    reports.reduce((sum, report) => sum + report.takes, 0),
  );
  return {
    perSecond: total / seconds,
    fairness: Math.min(...passes) / Math.max(...passes, 1),
    least: Math.min(...passes),
    p50: waits[Math.floor(waits.length / 2)] ?? 0,
    p99: waits[Math.floor(waits.length * 0.99)] ?? 0,
    commands: (after.commands - before.commands) / takes,
    serverMicros: (after.micros - before.micros) / takes,
  };
}

/**
 * Each subject in turn, so many rounds: the median of each column, and of the ratios within each round.
 * @param {string} name
 * @param {Scenario} scenario
 */
async function compare(name, scenario) {
  const surroundings = describeSurroundings();
  const server = await startServer();
  const subjects = [...scenario.subjects];
  /** @type {Map<string, import('./goals.mjs').Row[]>} */
  const rounds = new Map(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const subject of subjects) {
      stderr.write(`${name}, round ${round + 1}: ${subject}\n`);
      rounds.get(subject)?.push(await run(server, subject, scenario));
    }
    subjects.push(...subjects.splice(0, 1));
  }
  await server.stop();
  stdout.write(
    `\n${name}: ${scenario.title}; ${seconds} s each, ${values.rounds} rounds, load ${surroundings.machine.loadAverage.toFixed(1)}\n`,
  );
  stdout.write(`${'subject'.padEnd(40)}     /s  min/max  least  p50 ms  p99 ms  commands  server us\n`);
  const report = values.store
    ? createReport({ scenario: 'redis', directory: RESULTS, quick: false, undisturbed: false, surroundings })
    : undefined;
  for (const [subject, rows] of rounds) {
    const of = (/** @type {keyof import('./goals.mjs').Row} */ key) => median(rows.map((row) => row[key]));
    const row = {
      perSecond: of('perSecond'),
      fairness: of('fairness'),
      least: of('least'),
      p50: of('p50'),
      p99: of('p99'),
      commands: of('commands'),
      serverMicros: of('serverMicros'),
    };
    report?.add({ what: name, subject, seconds, rounds: rows.length, ...row, samples: rows });
    const cells = [
      row.perSecond.toFixed(0).padStart(7),
      row.fairness.toFixed(2).padStart(9),
      String(row.least).padStart(7),
      row.p50.toFixed(1).padStart(8),
      row.p99.toFixed(1).padStart(8),
      row.commands.toFixed(2).padStart(10),
      row.serverMicros.toFixed(1).padStart(11),
    ];
    stdout.write(`${subject.padEnd(40)}${cells.join('')}\n`);
  }
  /** @type {import('./goals.mjs').Rows[]} */
  const turns = Array.from(
    { length: Number(values.rounds) },
    (_, round) => (subject) => rounds.get(subject)?.[round] ?? failure(subject),
  );
  const bars = (GOALS[name] ?? []).map((goal) => verdict(goal, turns));
  for (const { name: text, limit, value, met } of bars) {
    stdout.write(`  ${text.padEnd(64)}${value.toFixed(2).padStart(9)}  ${limit.padEnd(8)}${met ? 'met' : 'MISSED'}\n`);
  }
  report?.add({ what: name, subject: 'goals', bars });
}

/** @param {string} subject @returns {never} */
function failure(subject) {
  throw new Error(`The scenario has no row ${subject}`);
}

/** The goals that are about faults: `npm run test:faults` measures them. */
function faults() {
  stdout.write('\nfaults: npm run test:faults\n');
  const { status } = spawnSync(execPath, [`${root}scripts/faults.mjs`], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const line of readFileSync(`${root}.cache/faults.jsonl`, 'utf8').split('\n').filter(Boolean)) {
    const [fault, what, goal] = /** @type {[string, string, { text: string, isMet: boolean } | null | undefined]} */ (
      JSON.parse(line)
    );
    if (goal !== undefined && goal !== null)
      stdout.write(`  ${fault}: ${what}\n    ${goal.text}: ${goal.isMet ? 'met' : 'MISSED'}\n`);
  }
  stdout.write(
    status === 0 ? '  every fault of the table was seen\n' : '  MISSED: a fault was not seen, or its test failed\n',
  );
}

const found = findProgram();
if (found.kind === 'none') {
  stdout.write(`There is no Redis server (${found.why}). Nothing was measured.\n`);
  process.exit(2);
}
for (const name of names) {
  const scenario = SCENARIOS[name];
  if (scenario === undefined) faults();
  else await compare(name, scenario);
}
