// @ts-check
// Three processes share two slots, a leader and a rate, without any server. The first one serves the others. It is
// killed while it leads and has a slot, and the others go on: see README.md.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import process, { pid, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';

const ROUNDS = 6;
/** The process that connects first serves. It is killed with this slot. */
const VICTIM = 'A';
const KILLED_AT = 2;
/** Longer than the demonstration can take on a busy machine. */
const LIMIT_MS = 60_000;

// `| head` closes the pipe: a reader that stops early is no error.
stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

const program = fileURLToPath(new URL('child.mjs', import.meta.url));
let start = performance.now();

/** @param {string} name @param {string} text */
const say = (name, text) =>
  stdout.write(`${((performance.now() - start) / 1000).toFixed(3).padStart(7)} s  ${name}  ${text}\n`);

/** @typedef {{ name: string, event: string, token?: string, holders?: string[], waiters?: string[] }} Message */

/** @type {bigint[]} */
const tokens = [];
/** @type {string[]} */
const leaders = [];
const seen = { killedAt: 0, recovered: false, most: 0, grants: 0, ofVictim: 0, done: 0 };

/** @type {Map<string, import('node:child_process').ChildProcess>} */
const children = new Map();
const limit = setTimeout(() => {
  stderr.write('WRONG: the demonstration took too long\n');
  for (const child of children.values()) child.kill('SIGKILL');
}, LIMIT_MS);

const sinceKill = () => `${(performance.now() - seen.killedAt).toFixed(1)} ms after the kill`;

/** @param {string} name @param {string[]} holders */
function entered(name, holders) {
  seen.most = Math.max(seen.most, holders.length);
  seen.grants++;
  if (name === VICTIM && ++seen.ofVictim === KILLED_AT) {
    say(name, 'serves, leads and has a slot, and is killed');
    seen.killedAt = performance.now();
    children.get(name)?.kill('SIGKILL');
  } else if (seen.killedAt > 0 && !seen.recovered && !holders.includes(VICTIM)) {
    seen.recovered = true;
    say(name, `the slot of ${VICTIM} is in use again`);
  }
}

/** The first process leads, and then the others begin. */
function tellOthers() {
  for (const [name, child] of children) if (name !== VICTIM) child.send('go');
}

/** @param {Message} message */
function receive({ name, event, token, holders = [], waiters = [] }) {
  if (token !== undefined) tokens.push(BigInt(token));
  if (event === 'leads') {
    leaders.push(name);
    if (name === VICTIM) tellOthers();
    say(name, `leads, token ${token}${seen.killedAt > 0 ? `, ${sinceKill()}` : ''}`);
  } else if (event === 'has a slot') {
    say(
      name,
      `has a slot  [${holders.join(' ').padEnd(3)}]  ${waiters.length > 0 ? `next: ${waiters.join(' ')}` : ''}`.trimEnd(),
    );
    entered(name, holders);
  } else if (event === 'is done' && ++seen.done === 2) {
    for (const [other, child] of children) if (other !== VICTIM) child.send('end');
  }
}

for (const name of [VICTIM, 'B', 'C']) {
  const child = fork(program, [`demo-${pid}`, name, String(ROUNDS)]);
  children.set(name, child);
  // One after the other: the first one serves.
  await once(child, 'message');
  child.on('message', (message) => receive(/** @type {Message} */ (message)));
}
stdout.write(`Two slots, ${children.size} processes, no server: [the slots] and the line.\n`);
start = performance.now();
const ended = Promise.all([...children.values()].map((child) => once(child, 'exit')));
children.get(VICTIM)?.send('go');
await ended;
clearTimeout(limit);

const distinct = new Set(tokens).size === tokens.length;
const right =
  seen.most <= 2 &&
  seen.recovered &&
  distinct &&
  leaders.length >= 2 &&
  leaders[0] === VICTIM &&
  seen.grants >= 2 * ROUNDS + KILLED_AT;
stdout.write(
  `never more than 2 inside, ${seen.grants} slots and ${leaders.length} leaders with ${new Set(tokens).size} tokens: ${right ? 'ok' : 'WRONG'}\n`,
);
process.exitCode = right ? 0 : 1;
