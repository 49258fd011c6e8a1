// @ts-check
// Three processes share two slots over a Redis server, in order. One is killed while it has a slot: see README.md.
import { findServer, startServer } from '@sluice/redis-server';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import process, { stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';

const LEASE_MS = 1000;
const ROUNDS = 4;
const VICTIM = 'B';
/** Longer than the demonstration can take on a busy machine. */
const LIMIT_MS = 60_000;

const worker = fileURLToPath(new URL('worker.mjs', import.meta.url));
const found = findServer();
if (found.kind === 'none') {
  stderr.write(`There is no Redis server (${found.why}). Install redis-server or valkey-server, or set SLUICE_REDIS_URL.\n`);
  process.exit(2);
}
const server = found.kind === 'program' ? await startServer({ program: found }) : undefined;
const url = found.kind === 'url' ? found.url : (server?.url ?? '');
const start = performance.now();

/** @param {string} name @param {string} text */
const say = (name, text) => stdout.write(`${((performance.now() - start) / 1000).toFixed(2).padStart(6)} s  ${name}  ${text}\n`);

/** The processes that have a slot; the dead one until its lease is over. @type {Set<string>} */
const inside = new Set();
/** @type {bigint[]} */
const tokens = [];
let killedAt = 0;
let most = 0;

/** @type {Map<string, import('node:child_process').ChildProcess>} */
const children = new Map();
const limit = setTimeout(() => {
  stderr.write('WRONG: the demonstration took too long\n');
  for (const child of children.values()) child.kill('SIGKILL');
}, LIMIT_MS);

/** @param {string} name @param {string} token */
function entered(name, token) {
  // A third process inside has the slot of the dead one.
  if (inside.size === 2 && inside.delete(VICTIM)) say(name, `this was the slot of ${VICTIM}, dead for ${(performance.now() - killedAt).toFixed(0)} ms`);
  inside.add(name);
  most = Math.max(most, inside.size);
  tokens.push(BigInt(token));
  if (name !== VICTIM) return;
  killedAt = performance.now();
  children.get(name)?.kill('SIGKILL');
  say(name, `is killed; the server waits for its lease of ${LEASE_MS} ms`);
}

for (const name of ['A', VICTIM, 'C']) {
  const child = fork(worker, [url, name, String(ROUNDS), String(LEASE_MS)]);
  children.set(name, child);
  child.on('message', (message) => {
    const { event, token } = /** @type {{ event: string, token?: string }} */ (message);
    say(name, token === undefined ? event : `${event}, token ${token}`);
    if (token === undefined) inside.delete(name);
    else entered(name, token);
  });
}

await Promise.all([...children.values()].map((child) => once(child, 'exit')));
clearTimeout(limit);
await server?.stop();
// Messages of two processes may arrive in another order than the grants were made, so the order is that of the tokens.
const distinct = new Set(tokens).size === tokens.length;
const right = most <= 2 && distinct && tokens.length === 2 * ROUNDS + 1;
stdout.write(`never more than 2 inside, and ${tokens.length} grants with ${new Set(tokens).size} tokens: ${right ? 'ok' : 'WRONG'}\n`);
process.exitCode = right ? 0 : 1;
