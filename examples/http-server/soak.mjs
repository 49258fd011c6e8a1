// Loads a server of its own, on the loopback address only, with clients that go away and workers that are killed.
// Prints the server's memory, and fails if the memory grows or a slot is lost: `node soak.mjs --minutes 10`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import process, { argv, execPath } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const WORKERS = 2;
const QUEUE = 16;
const SLOTS = WORKERS + QUEUE;
/** Bounds of the load: requests per second, and requests at a time. */
const RATE = 200;
const MAX_AT_A_TIME = 64;
/** One request in this many is abandoned. The interval at which a worker is killed follows. */
const ABORT_ONE_IN = 8;
const KILL_EVERY_MS = 2000;
/** The interval between two samples of the memory. */
const SAMPLE_MS = 30_000;
/** The heap of V8 varies: growth by this much from the second third of the samples to the last is not a leak. */
const RSS_SLACK = 24 * 2 ** 20;
const QUIET_MS = 30_000;

const HELP = `Usage: node soak.mjs [options]

  --minutes N  how long, above 0 and 120 at most (default: 10)
  --every S    seconds between two samples, at least 1 (default: ${SAMPLE_MS / 1000})
  --help       show this
`;

function readOptions() {
  try {
    const minutes = /** @type {const} */ ({ type: 'string', default: '10' });
    const every = /** @type {const} */ ({ type: 'string', default: String(SAMPLE_MS / 1000) });
    return parseArgs({ options: { minutes, every, help: { type: 'boolean', default: false } } }).values;
  } catch (failure) {
    console.error(failure instanceof Error ? failure.message : failure);
    process.exit(2);
  }
}

const values = readOptions();
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const minutes = Number(values.minutes);
const sampleMs = Number(values.every) * 1000;
if (!(minutes > 0 && minutes <= 120) || !(sampleMs >= 1000)) {
  console.error(
    `--minutes must be a number above 0, 120 at most, and --every at least 1 (s): received ${argv.slice(2).join(' ')}`,
  );
  process.exit(2);
}

const main = fileURLToPath(new URL('src/main.mjs', import.meta.url));
const args = ['--port', '0', '--workers', String(WORKERS), '--queue', String(QUEUE), '--timeout', '250', '--chaos'];
const server = spawn(execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
process.once('exit', () => server.kill('SIGKILL'));
const [printed] = await once(server.stdout, 'data');
const base = String(printed).trim();
const agent = new Agent({ keepAlive: true, maxSockets: MAX_AT_A_TIME + 4 });

/**
 * @typedef {{ pool: Record<'workers' | 'queued' | 'waiting' | 'running' | 'completed' | 'failed' | 'replaced', number>,
 *   memory: Record<'rss' | 'arena' | 'agents' | 'elements', number> }} Stats
 */

/** @type {Map<string, number>} */
const answers = new Map();
let underWay = 0;
let kills = 0;

/**
 * @param {string} method
 * @param {string} path
 * @param {number} [leaveMs] when the client goes away
 * @returns {Promise<{ outcome: string, text: string }>}
 */
function ask(method, path, leaveMs) {
  return new Promise((resolve) => {
    let text = '';
    let outcome = 'gone';
    const asked = request(base + path, { method, agent }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (/** @type {string} */ chunk) => (text += chunk));
      response.on('end', () => (outcome = String(response.statusCode)));
    });
    const timer = leaveMs === undefined ? undefined : setTimeout(() => asked.destroy(), leaveMs);
    asked.on('error', (error) => (outcome = leaveMs === undefined ? error.message : 'gone'));
    asked.on('close', () => {
      clearTimeout(timer);
      resolve({ outcome, text });
    });
    asked.end();
  });
}

/**
 * Makes a request of the soak test itself, and returns the answer.
 * @param {string} method
 * @param {string} path
 */
async function learn(method, path) {
  const { outcome, text } = await ask(method, path);
  if (outcome !== '200') throw new Error(`${method} ${path}: ${outcome} ${text}`);
  return /** @type {unknown} */ (JSON.parse(text));
}

const look = async () => /** @type {Stats} */ (await learn('GET', '/stats'));

async function load() {
  underWay += 1;
  const leaveMs = Math.random() * ABORT_ONE_IN < 1 ? Math.random() * 20 : undefined;
  // 0.1 to 5 ms of work, and sometimes more than the timeout allows.
  const below = Math.random() < 0.01 ? 5_000_000 : 500 + Math.floor(Math.random() * 20_000);
  const { outcome } = await ask('GET', `/primes/${below}`, leaveMs);
  answers.set(outcome, (answers.get(outcome) ?? 0) + 1);
  underWay -= 1;
}

/**
 * Waits until all requests are answered and all workers and slots are available. Returns `undefined`, or a text about
 * the missing ones.
 */
async function quiet() {
  const deadline = performance.now() + QUIET_MS;
  while (underWay > 0) await sleep(10);
  for (;;) {
    const { pool, memory } = await look();
    const { slots } = /** @type {{ slots: number }} */ (await learn('POST', '/slots'));
    const isQuiet =
      pool.queued + pool.waiting + pool.running === 0 &&
      pool.workers === WORKERS &&
      slots === SLOTS &&
      memory.agents <= 1 + WORKERS;
    if (isQuiet) return undefined;
    if (performance.now() > deadline) return `${slots} of ${SLOTS} slots, ${JSON.stringify({ ...pool, ...memory })}`;
    await sleep(50);
  }
}

/** @param {number} bytes */
const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** @type {Stats['memory'][]} */
const samples = [];
/** @type {string[]} */
const problems = [];
const start = performance.now();
const end = start + minutes * 60_000;
let sent = 0;

console.log('   time    requests   kills          rss        arena   agents   elements   slots');
while (performance.now() < end && problems.length === 0) {
  const until = Math.min(end, performance.now() + sampleMs);
  let nextKill = performance.now() + KILL_EVERY_MS;
  for (let next = performance.now(); performance.now() < until; next += 1000 / RATE) {
    if (underWay < MAX_AT_A_TIME) {
      sent += 1;
      void load();
    }
    if (performance.now() > nextKill) {
      nextKill += KILL_EVERY_MS;
      kills += 1;
      void ask('POST', kills % 2 === 0 ? '/kill' : '/die');
    }
    await sleep(Math.max(1, next - performance.now()));
    next = Math.max(next, performance.now() - 100); // no burst after a pause
  }
  const missing = await quiet();
  if (missing !== undefined) problems.push(`not quiet: ${missing}`);
  const { memory } = await look();
  samples.push(memory);
  const seconds = `${Math.round((performance.now() - start) / 1000)} s`;
  const row = [
    seconds.padStart(7),
    String(sent).padStart(11),
    String(kills).padStart(7),
    mib(memory.rss).padStart(12),
    mib(memory.arena).padStart(12),
  ];
  console.log(
    ...row,
    String(memory.agents).padStart(7),
    String(memory.elements).padStart(10),
    missing === undefined ? '  all' : ' LOST',
  );
}

/**
 * The median of one third of the samples.
 * @param {'rss' | 'arena' | 'elements'} key
 * @param {number} third 0, 1, 2
 */
function median(key, third) {
  const [from, to] = [third, third + 1].map((part) => Math.floor((samples.length * part) / 3));
  const sorted = samples
    .slice(from, to)
    .map((sample) => sample[key])
    .sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

if (samples.length >= 3) {
  const growth = median('rss', 2) - median('rss', 1);
  if (growth > RSS_SLACK) problems.push(`rss grew by ${mib(growth)} from the second third to the last`);
  for (const key of /** @type {const} */ (['arena', 'elements'])) {
    if (median(key, 2) > median(key, 1)) problems.push(`${key} grew from ${median(key, 1)} to ${median(key, 2)}`);
  }
}

server.kill('SIGTERM');
const [code] = await once(server, 'close');
if (code !== 0) problems.push(`the server ended with code ${code}`);
for (const outcome of answers.keys()) {
  if (!['200', 'gone', '502', '503', '504'].includes(outcome)) problems.push(`requests ended with ${outcome}`);
}
agent.destroy();
console.log([...answers].map(([outcome, count]) => `${outcome}: ${count}`).join(', '));
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? 'memory flat, no slot lost' : 'FAILED');
process.exitCode = problems.length === 0 ? 0 : 1;
