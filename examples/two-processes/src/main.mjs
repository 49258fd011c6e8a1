// @ts-check
// Three processes share two slots over a Redis server, in order. One is killed while it has a slot: see README.md.
import { findServer, startServer } from '@sluice/redis-server';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import process, { stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';

const LEASE_MS = 3000;
const HOLD_MS = 150;
const VICTIM = 'B';
/** Longer than the demonstration can take on a busy machine. */
const LIMIT_MS = 60_000;

// `| head` closes the pipe: a reader that stops early is no error.
stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

const program = fileURLToPath(new URL('child.mjs', import.meta.url));
const found = findServer();
if (found.kind === 'none') {
  stderr.write(
    `There is no Redis server (${found.why}). Install redis-server or valkey-server, or set SLUICE_REDIS_URL.\n`,
  );
  process.exit(2);
}
const server = found.kind === 'program' ? await startServer({ program: found }) : undefined;
const url = found.kind === 'url' ? found.url : (server?.url ?? '');
let start = performance.now();

/** @param {string} name @param {string} text */
const say = (name, text) =>
  stdout.write(`${((performance.now() - start) / 1000).toFixed(2).padStart(6)} s  ${name}  ${text}\n`);

/** @typedef {{ name: string, event: string, token?: string, holders?: string[], waiters?: string[] }} Message */

/** @type {bigint[]} */
const tokens = [];
const seen = { killedAt: 0, recovered: false, most: 0, connected: 0 };

/** @type {Map<string, import('node:child_process').ChildProcess>} */
const children = new Map();
const limit = setTimeout(() => {
  stderr.write('WRONG: the demonstration took too long\n');
  for (const child of children.values()) child.kill('SIGKILL');
}, LIMIT_MS);

/** All begin together, however long their start takes. */
function connected() {
  if (++seen.connected < children.size) return;
  stdout.write(`Two slots, ${children.size} processes: [the slots] and the line, as the server knows them.\n`);
  start = performance.now();
  for (const child of children.values()) child.send('go');
}

/**
 * `holders`: the processes that have a slot, as the server knows them.
 * @param {string} name
 * @param {string} token
 * @param {string[]} holders
 */
function entered(name, token, holders) {
  seen.most = Math.max(seen.most, holders.length);
  tokens.push(BigInt(token));
  if (name === VICTIM) {
    seen.killedAt = performance.now();
    children.get(name)?.kill('SIGKILL');
    say(name, `is killed; the server waits for its lease of ${LEASE_MS} ms`);
  } else if (seen.killedAt > 0 && !seen.recovered && !holders.includes(VICTIM)) {
    seen.recovered = true;
    for (const child of children.values()) if (child.connected) child.send('enough');
    say(name, `the slot of ${VICTIM}, dead for ${(performance.now() - seen.killedAt).toFixed(0)} ms, is in use again`);
  }
}

for (const name of ['A', VICTIM, 'C']) {
  // The victim keeps its slot until it is killed, the others go on until its slot is in use again.
  const child = fork(program, [url, name, String(name === VICTIM ? LIMIT_MS : HOLD_MS), String(LEASE_MS)]);
  children.set(name, child);
  child.on('message', (given) => {
    const { event, token, holders = [], waiters = [] } = /** @type {Message} */ (given);
    if (event === 'is connected') return connected();
    say(
      name,
      token === undefined
        ? event
        : `${event.padEnd(12)}[${holders.join(' ').padEnd(3)}]  ${(waiters.length > 0 ? `next: ${waiters.join(' ')}` : '').padEnd(10)}token ${token}`,
    );
    if (token !== undefined) entered(name, token, holders);
  });
}

await Promise.all([...children.values()].map((child) => once(child, 'exit')));
clearTimeout(limit);
await server?.stop();
const distinct = new Set(tokens).size === tokens.length;
const right = seen.most <= 2 && seen.recovered && distinct;
stdout.write(
  `never more than 2 inside, and ${tokens.length} grants with ${new Set(tokens).size} tokens: ${right ? 'ok' : 'WRONG'}\n`,
);
process.exitCode = right ? 0 : 1;
