// Tests the assertions of web-platform-tests/web-locks with workers. Each test names the file. In addition it tests
// killed workers, about which the specification says nothing.

import { Arena } from '@sluice/core';
import { Session, soakSize } from '@sluice/harness';
import { LockManager, named } from '@sluice/named';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import type { Answer, LocksData, Order } from './jobs/web-locks.mjs';
import { lines } from './support/blocks.ts';

const JOB = new URL('./jobs/web-locks.mjs', import.meta.url);

class Client {
  readonly worker: Worker;
  readonly exit: Promise<unknown>;
  #last = 0;

  constructor(arena: Arena) {
    const workerData: LocksData = { arena: arena.handle };
    this.worker = new Worker(JOB, { workerData });
    arena.watch(this.worker);
    this.exit = once(this.worker, 'exit');
  }

  /** Sends an order. Resolves with the worker's answer. */
  async ask(order: Omit<Order, 'id'>): Promise<Answer> {
    const id = ++this.#last;
    const answer = new Promise<Answer>((resolve) => {
      const listen = (message: Answer): void => {
        if (message.id !== id) return;
        this.worker.off('message', listen);
        resolve(message);
      };
      this.worker.on('message', listen);
    });
    this.worker.postMessage({ ...order, id });
    return answer;
  }

  async end(): Promise<void> {
    await this.worker.terminate();
    await this.exit;
  }
}

const forever = new Promise<never>(() => undefined);

async function withClients(
  count: number,
  body: (locks: LockManager, clients: readonly Client[]) => Promise<void>,
): Promise<void> {
  const arena = Arena.create({ maxPages: 64 });
  const locks = named(arena, 'locks', LockManager);
  const clients = Array.from({ length: count }, () => new Client(arena));
  try {
    await body(locks, clients);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

const errorName = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'resolved',
    (failure: unknown) => (failure as Error).name,
  );

test('query: locks of two threads have different client ids (query.https.any.js)', async () => {
  await withClients(1, async (locks, [worker]) => {
    await worker?.ask({ op: 'request', name: 'res', mode: 'shared' });
    await locks.request('res', { mode: 'shared' }, async () => {
      const held = (await locks.query()).held?.filter(({ name }) => name === 'res') ?? [];
      expect([held.length, new Set(held.map(({ clientId }) => clientId)).size]).toEqual([2, 2]);
    });
  });
});

test('query: a deadlock of two threads can be observed (query.https.any.js)', async () => {
  await withClients(1, async (locks, [worker]) => {
    await worker?.ask({ op: 'request', name: 'one' });
    const stop = new AbortController();
    const two = locks.request('two', () => forever);
    two.catch(() => undefined);
    void worker?.ask({ op: 'request', name: 'two' });
    expect((await worker?.ask({ op: 'request', name: 'two', ifAvailable: true }))?.failed).toBe(true);
    const wait = locks.request('one', { signal: stop.signal }, () => undefined);
    const { held, pending } = await locks.query();
    const of = (list: typeof held, name: string): string[] =>
      (list ?? []).filter((lock) => lock.name === name).map(({ clientId }) => String(clientId));
    expect([of(held, 'one').length, of(held, 'two').length]).toEqual([1, 1]);
    expect(of(held, 'one')).toEqual(of(pending, 'two'));
    expect(of(held, 'two')).toEqual(of(pending, 'one'));
    stop.abort();
    expect(await errorName(wait)).toBe('AbortError');
  });
});

test('query-ordering: requests of three threads appear in the order in which they were made (query-ordering.https.html)', async () => {
  await withClients(3, async (locks, clients) => {
    const ids = await Promise.all(clients.map(async (client) => (await client.ask({ op: 'clientId' })).clientId));
    for (const order of [
      [0, 1, 2],
      [2, 0, 1],
    ]) {
      let release = (): void => undefined;
      const first = locks.request('res', () => new Promise<void>((resolve) => (release = resolve)));
      const waits: Promise<Answer>[] = [];
      for (const index of order) {
        const client = clients[index];
        if (client === undefined) throw new Error(`there is no client ${index}`);
        waits.push(client.ask({ op: 'pass', name: 'res' }));
        // The request was made before this answer, because its thread answers later orders only afterwards.
        await client.ask({ op: 'clientId' });
      }
      const { pending } = await locks.query();
      expect(pending?.map(({ clientId }) => clientId)).toEqual(order.map((index) => ids[index]));
      release();
      await first;
      await Promise.all(waits);
    }
  });
});

test('held, mode-mixed: a request waits for a lock of another thread, and shared locks are held together (workers.tentative.https.html)', async () => {
  await withClients(1, async (locks, [worker]) => {
    const first = await worker?.ask({ op: 'request', name: 'res' });
    const order: string[] = [];
    const wait = locks.request('res', () => order.push('granted'));
    expect(await locks.request('res', { ifAvailable: true }, (lock) => lock)).toBeNull();
    order.push('released');
    await worker?.ask({ op: 'release', lock: first?.lock });
    await wait;
    expect(order).toEqual(['released', 'granted']);
    await worker?.ask({ op: 'request', name: 'shared', mode: 'shared' });
    expect(await locks.request('shared', { mode: 'shared', ifAvailable: true }, (lock) => lock?.mode)).toBe('shared');
  });
});

test('steal: a steal takes the lock of another thread, whose request rejects there (steal.https.any.js)', async () => {
  await withClients(2, async (locks, [victim, thief]) => {
    const held = await victim?.ask({ op: 'request', name: 'res' });
    const ended = victim?.ask({ op: 'ended', lock: held?.lock });
    const stolen = await thief?.ask({ op: 'request', name: 'res', steal: true });
    expect((await ended)?.failed).toBe('AbortError');
    expect(await locks.request('res', { ifAvailable: true }, (lock) => lock)).toBeNull();
    // Later acts of the victim with the lock have no effect.
    await victim?.ask({ op: 'release', lock: held?.lock });
    expect(await locks.request('res', { ifAvailable: true }, (lock) => lock)).toBeNull();
    await thief?.ask({ op: 'release', lock: stolen?.lock });
    expect(await locks.request('res', (lock) => lock.mode)).toBe('exclusive');
    expect(lines(locks.arena)).toEqual([]);
  });
});

test('when a thread ends, its locks and requests are gone (release-following-termination.tentative.https.html)', async () => {
  await withClients(2, async (locks, [holder, waiter]) => {
    await holder?.ask({ op: 'request', name: 'res' });
    void waiter?.ask({ op: 'request', name: 'res' });
    await waiter?.ask({ op: 'clientId' });
    const next = locks.request('res', (lock) => lock.mode);
    expect((await locks.query()).pending?.length).toBe(2);
    await waiter?.end();
    await holder?.end();
    expect(await next).toBe('exclusive');
    expect(await locks.query()).toEqual({ held: [], pending: [] });
  });
});

test('workers that are killed while they request, hold and steal strand no other worker', async () => {
  const session = new Session('killed with web locks');
  const arena = Arena.create({ maxPages: 64 });
  const locks = named(arena, 'locks', LockManager);
  const rounds = soakSize(4, 200);
  let deaths = 0;
  for (let round = 0; round < rounds; round++) {
    const clients = Array.from({ length: 3 }, () => new Client(arena));
    await Promise.all(clients.map((client) => client.ask({ op: 'clientId' })));
    for (const client of clients) void client.ask({ op: 'storm', seed: session.seed + deaths });
    for (const client of clients) {
      await new Promise((later) => setTimeout(later, 20 + session.random.below(30)));
      await client.end();
      deaths += 1;
    }
    arena.reclaimDead();
    for (const name of ['a', 'b', 'c'])
      expect(await locks.request(name, { signal: AbortSignal.timeout(60_000) }, (lock) => lock.mode)).toBe('exclusive');
    expect(await locks.query()).toEqual({ held: [], pending: [] });
  }
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  locks.free();
  expect(arena.inspect().blocks.filter(({ kind }) => kind === 'semaphore')).toEqual([]);
  session.done(deaths, `${rounds} rounds`);
});
