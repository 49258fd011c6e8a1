// @ts-check
// Locks over one Redis server, beside each other: npm run bench:redis [-- seconds].
import { findProgram, startServer } from '@sluice/redis-server';
import { Redis } from 'ioredis';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import process, { argv, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { SUBJECTS } from './subjects.mjs';

const program = fileURLToPath(new URL('child.mjs', import.meta.url));
const seconds = Number(argv[2] ?? 3);
const LIMIT_MS = 60_000;

/** @typedef {{ title: string, processes: number, waiters: number, hold: number, think: number }} Scenario */
/** @type {Scenario[]} */
const SCENARIOS = [
  { title: 'saturated: 4 processes x 4 waiters, hold 2 ms', processes: 4, waiters: 4, hold: 2, think: 0 },
  { title: 'think: 4 processes x 4 waiters, hold 2 ms, think 0 to 40 ms', processes: 4, waiters: 4, hold: 2, think: 40 },
  { title: 'crowd: 4 processes x 64 waiters, hold 2 ms', processes: 4, waiters: 64, hold: 2, think: 0 },
  { title: 'uncontended: 1 process, 1 waiter', processes: 1, waiters: 1, hold: 0, think: 0 },
];

/** Calls of all commands, without those of scripts. @param {Redis} client */
async function commandsOf(client) {
  const stats = await client.info('commandstats');
  const sent = [...stats.matchAll(/^cmdstat_(evalsha|eval|set|get|del|pexpire|ping|publish):calls=(\d+)/gm)];
  return sent.filter(([, name]) => name === 'evalsha' || name === 'eval' || name === 'set').reduce((sum, [, , calls]) => sum + Number(calls), 0);
}

/** @param {string} url @param {string} name @param {Scenario} scenario */
async function run(url, name, { processes, waiters, hold, think }) {
  const client = new Redis(url);
  await client.flushall();
  const children = Array.from({ length: processes }, () => fork(program, [url, name, waiters, hold, think, seconds].map(String)));
  const limit = setTimeout(() => children.forEach((child) => child.kill('SIGKILL')), LIMIT_MS);
  await Promise.all(children.map((child) => once(child, 'message')));
  const before = await commandsOf(client);
  const results = children.map((child) => once(child, 'message'));
  for (const child of children) child.send('go');
  const reports = /** @type {{ passes: number[], waits: number[] }[]} */ ((await Promise.all(results)).map(([report]) => report));
  const commands = (await commandsOf(client)) - before;
  await Promise.all(children.filter((child) => child.exitCode === null).map((child) => once(child, 'exit')));
  clearTimeout(limit);
  client.disconnect();
  const passes = reports.flatMap((report) => report.passes);
  const waits = reports.flatMap((report) => report.waits).toSorted((a, b) => a - b);
  const total = passes.reduce((sum, count) => sum + count, 0);
  return {
    perSecond: total / seconds,
    fairness: Math.min(...passes) / Math.max(...passes, 1),
    p50: waits[Math.floor(waits.length / 2)] ?? 0,
    p99: waits[Math.floor(waits.length * 0.99)] ?? 0,
    commands: commands / Math.max(total, 1),
  };
}

const found = findProgram();
if (found.kind === 'none') {
  stdout.write(`There is no Redis server (${found.why}). Nothing was measured.\n`);
  process.exit(2);
}
const server = await startServer({ program: found });
for (const scenario of SCENARIOS) {
  stdout.write(`\n${scenario.title}, ${seconds} s each\n${'subject'.padEnd(38)}    /s  min/max  p50 ms  p99 ms  commands\n`);
  for (const name of Object.keys(SUBJECTS)) {
    const { perSecond, fairness, p50, p99, commands } = await run(server.url, name, scenario);
    stdout.write(`${name.padEnd(38)}${perSecond.toFixed(0).padStart(6)}${fairness.toFixed(2).padStart(9)}${p50.toFixed(1).padStart(8)}${p99.toFixed(1).padStart(8)}${commands.toFixed(2).padStart(10)}\n`);
  }
}
await server.stop();
