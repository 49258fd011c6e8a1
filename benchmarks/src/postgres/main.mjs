// @ts-check
// Locks over one Postgres server, beside each other, and what they are to reach:
// npm run bench:postgres [-- saturated crowd uncontended idle bloat] [--seconds 3] [--rounds 1] [--fsync]
// [--cycles N] [--store].
import { findProgram, startServer } from '@sluice/postgres-server';
import process, { argv, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { rowsOf } from '../lib/process-rows.mjs';
import { SUBJECTS } from './subjects.mjs';

const program = fileURLToPath(new URL('child.mjs', import.meta.url));

/** @typedef {import('../lib/process-rows.mjs').Scenario} Scenario */

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
    /** Cycles of `bloat`. */
    cycles: { type: 'string' },
    store: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
/** `bloat` reports the sizes so often. */
const PARTS = 10;
const names = positionals.length > 0 ? positionals : [...Object.keys(SCENARIOS), 'idle', 'bloat'];

const found = findProgram();
if (found.kind === 'none') throw new Error(`There is no Postgres server: ${found.why}`);
const server = await startServer({ program: found, args: values.fsync ? ['-c', 'fsync=on'] : [] });
const pool = new pg.Pool({ connectionString: server.url });

const rows = rowsOf({
  scenario: 'postgres',
  program,
  url: server.url,
  seconds,
  rounds: Number(values.rounds),
  store: values.store,
  conditions: `, fsync ${values.fsync ? 'on' : 'off'}`,
  before: () => pool.query('DROP SCHEMA IF EXISTS sluice CASCADE'),
});

/** @type {Record<string, import('../lib/process-rows.mjs').Goal[]>} */
const GOALS = {
  saturated: [
    { text: 'hand-overs a second', subject: 'sluice mutex', of: (row) => row.perSecond, limit: 500, least: true },
  ],
  crowd: [
    {
      text: 'p99 of a wait at 256 waiters, in rounds of the line',
      subject: 'sluice mutex',
      of: (row) => row.p99 / row.round,
      limit: 1.2,
    },
  ],
};

/** How many connections a process has that does nothing. */
async function idle() {
  const subject = await SUBJECTS['sluice mutex']?.(server.url);
  await (await subject?.take())?.();
  const { rows: found } = await pool.query("SELECT state FROM pg_stat_activity WHERE application_name = 'sluice'");
  stdout.write('\nidle: a process that does nothing\n');
  rows.bar('idle', { name: 'connections', value: found.length, limit: 1, least: false });
  await subject?.close();
}

/** How large the tables are after many cycles. */
async function bloat() {
  const cycles = Number(values.cycles ?? 1000 * seconds);
  const subject = await SUBJECTS['sluice mutex, lease 1 h']?.(server.url);
  const size = async () => {
    /** @type {{ rows: { bytes: number }[] }} */
    const { rows } = await pool.query(
      "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::int AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'sluice' AND c.relkind = 'r'",
    );
    return Number(rows[0]?.bytes);
  };
  for (let i = 0; i < 100; i++) await (await subject?.take())?.();
  const before = await size();
  stdout.write(`\nbloat: ${before} bytes after 100 cycles\n`);
  let after = before;
  for (let part = 1; part <= PARTS; part++) {
    const done = Math.round((cycles * part) / PARTS);
    for (let i = Math.round((cycles * (part - 1)) / PARTS); i < done; i++) await (await subject?.take())?.();
    after = await size();
    stdout.write(`  ${after} bytes after ${done} more\n`);
    rows.add('bloat', 'sluice mutex', { cycles: done, before, after });
  }
  rows.bar('bloat', { name: 'growth of the tables', value: after / before, limit: 2, least: false });
  await subject?.close();
}

try {
  for (const name of names) {
    const scenario = SCENARIOS[name];
    if (scenario !== undefined) await rows.compare(name, scenario, GOALS[name] ?? []);
    else if (name === 'idle') await idle();
    else if (name === 'bloat') await bloat();
    else throw new Error(`There is no scenario ${name}: choose of ${Object.keys(SCENARIOS).join(', ')}, idle, bloat`);
  }
} finally {
  await pool.end();
  await server.stop();
  process.exitCode ??= 0;
}
