// @ts-check
// Locks between the processes of one machine, beside each other, and what they are to reach:
// npm run bench:local [-- uncontended saturated crowd killed] [--seconds 3] [--rounds 1] [--store].
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argv, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median, rowsOf } from '../lib/process-rows.mjs';
import { SUBJECTS } from './subjects.mjs';

const programOf = (/** @type {string} */ name) => fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
/** A killed holder of proper-lockfile is noticed after 10 s, so it is killed once. */
const KILLS = 15;

const { values, positionals } = parseArgs({
  args: argv.slice(2),
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '1' },
    store: { type: 'boolean', default: false },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
const subjects = ['sluice mutex', 'sluice mutex, bypass 16', 'proper-lockfile, 5 ms'];
const [mutex = ''] = subjects;
const rows = rowsOf({
  scenario: 'local',
  program: programOf('child'),
  url: folder,
  seconds: Number(values.seconds),
  rounds: Number(values.rounds),
  store: values.store,
  conditions: '',
});

/** @type {Record<string, () => Promise<void>>} */
const SCENARIOS = {
  uncontended: () =>
    rows.compare('uncontended', { title: '1 process, 1 waiter', processes: 1, waiters: 1, hold: 0, subjects }, [
      { text: 'a pair of the strict mutex, in µs', subject: mutex, of: (row) => 1e6 / row.perSecond, limit: 60 },
    ]),
  saturated: () =>
    // With one waiter each, the serving process would take the lock again before the other has asked.
    rows.compare('saturated', { title: '2 processes x 4 waiters', processes: 2, waiters: 4, hold: 0, subjects }, [
      { text: 'hand-overs a second', subject: mutex, of: (row) => row.perSecond, limit: 10_000, least: true },
    ]),
  crowd: () =>
    rows.compare('crowd', { title: '4 processes x 16 waiters', processes: 4, waiters: 16, hold: 0, subjects }, [
      { text: 'fairness of 64 waiters', subject: mutex, of: (row) => row.fairness, limit: 0.95, least: true },
    ]),
  killed,
};

/** How long after the kill of a process another one knows that its socket has closed, in ms: the least possible. */
async function closed() {
  const path = join(folder, 'closed.sock');
  const server = createServer().listen(path);
  await once(server, 'listening');
  const child = fork(programOf('connected'), [path]);
  const [socket] = /** @type {[import('node:net').Socket]} */ (await once(server, 'connection'));
  await once(child, 'message');
  const began = performance.now();
  socket.resume();
  child.kill('SIGKILL');
  await once(socket, 'close');
  const ms = performance.now() - began;
  server.close();
  return ms;
}

/** @param {string} what @param {number[]} times in ms */
function say(what, times) {
  const [middle, most] = [median(times), Math.max(...times)];
  stdout.write(`${what.padEnd(40)}${middle.toFixed(1)} ms, at most ${most.toFixed(1)} ms, ${times.length} times\n`);
  rows.add('killed', what, { median: middle, most, samples: times });
}

/**
 * How long after the kill of a holder its successor has the lock, in ms.
 * @param {string} name
 * @param {boolean} serves whether the holder serves the others: the first process does
 */
async function successor(name, serves) {
  // A folder of its own: the successor of proper-lockfile waits for the age of a file.
  const own = mkdtempSync(join(folder, 'killed-'));
  const first = serves ? undefined : await SUBJECTS[name]?.(own);
  const child = fork(programOf('holder'), [own, name]);
  await once(child, 'message');
  const subject = first ?? (await SUBJECTS[name]?.(own));
  const next = subject?.take();
  // It waits: so many turns of both processes are over.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const began = performance.now();
  child.kill('SIGKILL');
  await (await next)?.();
  const ms = performance.now() - began;
  await subject?.close();
  return ms;
}

async function killed() {
  stdout.write('\nkilled: the holder is killed, and the next process waits\n');
  /** @param {() => Promise<number>} once @param {number} kills */
  const times = async (once, kills = KILLS) => {
    /** @type {number[]} */
    const all = [];
    for (let i = 0; i < kills; i++) all.push(await once());
    return all;
  };
  say('a socket that closes', await times(closed));
  const holder = await times(() => successor(mutex, false));
  say(mutex, holder);
  const serving = await times(() => successor(mutex, true));
  say(`${mutex}, the holder serves`, serving);
  say('proper-lockfile, 5 ms', await times(() => successor('proper-lockfile, 5 ms', false), 1));
  for (const [what, all] of /** @type {const} */ ([
    ['holder', holder],
    ['serving holder', serving],
  ]))
    rows.bar('killed', {
      name: `the successor of a killed ${what}, median in ms`,
      value: median(all),
      limit: 20,
      least: false,
    });
}

try {
  for (const name of positionals.length > 0 ? positionals : Object.keys(SCENARIOS)) {
    const scenario = SCENARIOS[name];
    if (scenario === undefined)
      throw new Error(`There is no scenario ${name}: choose of ${Object.keys(SCENARIOS).join(', ')}`);
    await scenario();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
