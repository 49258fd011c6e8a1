import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { execPath, platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url));
const THREADS_MS = 180_000;
const LONG = 9_999_999;

interface Stats {
  readonly pool: Record<'workers' | 'queued' | 'waiting' | 'running' | 'completed' | 'failed' | 'replaced', number>;
  readonly memory: Record<'rss' | 'arena' | 'agents' | 'elements', number>;
}

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

class Running {
  readonly child: ChildProcess;
  readonly base: string;
  readonly #printed: () => string;

  constructor(child: ChildProcess, base: string, printed: () => string) {
    this.child = child;
    this.base = base;
    this.#printed = printed;
  }

  get(path: string): Promise<Response> {
    return fetch(this.base + path);
  }

  post(path: string): Promise<Response> {
    return fetch(this.base + path, { method: 'POST' });
  }

  async stats(): Promise<Stats> {
    return (await (await this.get('/stats')).json()) as Stats;
  }

  /** Repeats the request until the condition is true. Otherwise the test's timeout ends it. */
  async until(holds: (pool: Stats['pool']) => boolean): Promise<void> {
    while (!holds((await this.stats()).pool));
  }

  /** Returns the number of tasks that the pool accepts at a time, counted once, when no task is left. */
  async slots(): Promise<number> {
    return ((await (await this.post('/slots')).json()) as { slots: number }).slots;
  }

  async end(signal: NodeJS.Signals): Promise<{ code: number | null; printed: string }> {
    const closed = once(this.child, 'close') as Promise<[number | null]>;
    this.child.kill(signal);
    const [code] = await closed;
    return { code, printed: this.#printed() };
  }
}

async function start(...args: string[]): Promise<Running> {
  const child = spawn(execPath, [main, '--port', '0', '--workers', '2', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let printed = '';
  child.stderr.on('data', (chunk) => (printed += String(chunk)));
  const base = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      printed += String(chunk);
      const url = /^http:\S+$/m.exec(printed)?.[0];
      if (url !== undefined) resolve(url);
    });
    child.once('close', () => reject(new Error(printed)));
  });
  return new Running(child, base, () => printed);
}

/** Makes a request whose client disconnects when `leave` resolves. */
function leaving(url: string, leave: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const asked = request(url)
      .on('error', () => undefined)
      .on('close', resolve);
    asked.end();
    void leave.finally(() => asked.destroy());
  });
}

test('the server answers requests with the results of tasks', { timeout: THREADS_MS }, async () => {
  const server = await start('--timeout', '60000');
  const answers = await Promise.all([100, 1000, 10_000].map(async (n) => (await server.get(`/primes/${n}`)).text()));
  expect(answers).toEqual(['{"result":25}\n', '{"result":168}\n', '{"result":1229}\n']);
  expect((await server.get('/nothing')).status).toBe(404);
  expect((await server.post('/kill')).status).toBe(404);
});

test('the server answers 503 with Retry-After when its queue is full, and accepts requests again when there is room', {
  timeout: THREADS_MS,
}, async () => {
  const server = await start('--queue', '1', '--timeout', '60000', '--chaos');
  let leave = (): void => undefined;
  const gone = new Promise<void>((resolve) => (leave = resolve));
  const clients = [1, 2, 3].map(() => leaving(`${server.base}/primes/${LONG}`, gone));
  await server.until(({ running, queued }) => running + queued === 3);
  const refused = await server.get('/primes/10');
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  leave();
  await Promise.all(clients);
  expect(await server.slots()).toBe(3);
  await server.until(({ running, queued }) => running + queued === 0);
  expect(await (await server.get('/primes/10')).json()).toEqual({ result: 4 });
});

test('a client that disconnects aborts its task, and no slot is lost', { timeout: THREADS_MS }, async () => {
  const server = await start('--queue', '3', '--timeout', '60000', '--chaos');
  for (let round = 0; round < 4; round++) {
    const begun = server.until(({ running, queued }) => running + queued === 5);
    await Promise.all([1, 2, 3, 4, 5].map(() => leaving(`${server.base}/primes/${LONG}`, begun)));
    expect(await server.slots()).toBe(5);
  }
  expect((await server.stats()).pool).toMatchObject({ workers: 2, replaced: 0 });
});

test('the server answers 504 for a task that takes too long', { timeout: THREADS_MS }, async () => {
  const server = await start('--timeout', '50');
  expect((await server.get(`/primes/${LONG}`)).status).toBe(504);
  await server.until(({ running }) => running === 0);
});

test('a dead worker is replaced, its request runs again, and no slot or agent is lost', {
  timeout: THREADS_MS,
}, async () => {
  const server = await start('--queue', '3', '--timeout', '60000', '--chaos');
  // Send one request per worker, so that the killed worker runs one. A request runs again once, so there is one kill.
  const answers = [server.post('/hold'), server.post('/hold')];
  await server.until(({ running }) => running === 2);
  expect(await (await server.post('/kill')).json()).toEqual({ killed: 1 });
  await server.post('/go');
  for (const answer of answers) expect(await (await answer).json()).toEqual({ result: 0 });
  // The worker of its retry dies, too.
  expect((await server.post('/die')).status).toBe(502);
  await server.until(({ workers, replaced }) => workers === 2 && replaced >= 3);
  expect(await server.slots()).toBe(5);
  const { memory } = await server.stats();
  expect(memory.agents).toBeLessThanOrEqual(3);
});

// Windows has no signals to send.
test.skipIf(platform === 'win32')(
  'SIGTERM answers running requests, refuses new connections, and ends the server',
  { timeout: THREADS_MS },
  async () => {
    const server = await start('--chaos', '--timeout', '60000');
    const answer = server.post('/block/3000');
    await server.until(({ running }) => running === 1);
    const ended = server.end('SIGTERM');
    const response = await answer;
    expect(await response.json()).toEqual({ result: 3000 });
    const { code, printed } = await ended;
    expect(printed.split('\n').slice(1)).toEqual(['closed', '']);
    expect(code).toBe(0);
    await expect(server.get('/primes/10')).rejects.toThrow();
  },
);

test.skipIf(platform === 'win32')(
  'SIGTERM ends requests that take longer than the grace period',
  { timeout: THREADS_MS },
  async () => {
    const server = await start('--chaos', '--grace', '100', '--timeout', '60000');
    const answer = server.post('/block/50000');
    await server.until(({ running }) => running === 1);
    const { code } = await server.end('SIGTERM');
    expect((await answer).status).toBe(503);
    expect(code).toBe(0);
  },
);

test.each([
  [['--workers', '0'], '--workers must be a whole number from 1 to 64: received "0"'],
  [['--port', 'x'], '--port must be a whole number from 0 to 65535: received "x"'],
  [['--nonsense'], "Unknown option '--nonsense'"],
])('%j ends with a message and code 2', { timeout: THREADS_MS }, async (args, message) => {
  const child = spawn(execPath, [main, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let printed = '';
  child.stderr.on('data', (chunk) => (printed += String(chunk)));
  const [code] = (await once(child, 'close')) as [number | null];
  expect(printed).toContain(message);
  expect(code).toBe(2);
});
