import { expect } from 'vitest';
import { failureOf, onServer, until } from './support/server.ts';

for (const library of ['redis', 'ioredis'] as const) {
  onServer(`a semaphore through ${library}`, (it) => {
    it('hands a permit from one session to the next', async ({ open }) => {
      const [a, b] = [(await open({}, library)).semaphore('db', 1), (await open({}, library)).semaphore('db', 1)];
      await a.acquireAsync();
      const second = b.holdAsync();
      await until('the second waits', async () => (await a.waiting) === 1);
      await a.release();
      const guard = await second;
      expect(guard.held).toBe(true);
      expect(await b.tryAcquire()).toBe(false);
      await guard.release();
      expect(await b.available).toBe(1);
    });

    it('serves the waiters of all sessions in order of arrival', async ({ open }) => {
      const lines = [(await open({}, library)).semaphore('db', 1), (await open({}, library)).semaphore('db', 1)];
      const first = await lines[0]?.holdAsync();
      const order: number[] = [];
      const served: Promise<void>[] = [];
      for (let i = 0; i < 6; i++) {
        const semaphore = lines[i % 2];
        if (semaphore === undefined) throw new Error('no semaphore');
        served.push(semaphore.runAsync(() => void order.push(i)));
        await until('it waits', async () => (await semaphore.waiting) === i + 1);
      }
      await first?.release();
      await Promise.all(served);
      expect(order).toEqual([0, 1, 2, 3, 4, 5]);
    });

    it('works after both connections were killed', async ({ open, command }) => {
      const [a, b] = [(await open({}, library)).semaphore('db', 1), (await open({}, library)).semaphore('db', 1)];
      const guard = await a.holdAsync();
      const waiting = b.holdAsync();
      await until('the second waits', async () => (await a.waiting) === 1);
      await command('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await guard.release();
      expect((await waiting).held).toBe(true);
      expect(guard.signal.aborted).toBe(false);
    });
  });
}

onServer('a semaphore', (it) => {
  it('lets a waiter for many permits collect them while later waiters wait behind it', async ({ open }) => {
    const semaphore = (await open()).semaphore('db', 3);
    const [one, two] = [await semaphore.holdAsync(), await semaphore.holdAsync()];
    const order: string[] = [];
    const all = semaphore.holdAsync(3).then((guard) => (order.push('all'), guard));
    const later = semaphore.holdAsync(1).then((guard) => (order.push('later'), guard));
    await until('both wait', async () => (await semaphore.waiting) === 2);
    expect([await semaphore.available, (await semaphore.inspect()).available]).toEqual([0, 1]);
    expect(await semaphore.tryAcquire()).toBe(false);
    await Promise.all([one.release(), two.release()]);
    await (await all).release();
    await (await later).release();
    expect(order).toEqual(['all', 'later']);
  });

  it('releases a part of several permits, and throws for more than it holds', async ({ open }) => {
    const semaphore = (await open()).semaphore('db', 5);
    await semaphore.acquireAsync(3);
    await semaphore.acquireAsync(1);
    await semaphore.release(2);
    expect(await semaphore.available).toBe(3);
    expect(await failureOf(semaphore.release(3))).toMatchObject({
      code: 'SLUICE_MISUSE',
      message: "Semaphore 'db': cannot release 3 permits: this process holds 2 without a guard. Nothing was released.",
    });
    await semaphore.release(2);
    expect(await semaphore.available).toBe(5);
  });

  it('moves the waiters behind a timed-out wait up at once', async ({ open }) => {
    const semaphore = (await open()).semaphore('db', 2);
    const guard = await semaphore.holdAsync();
    const many = semaphore.acquireAsync(2, { timeout: 30 });
    const behind = semaphore.holdAsync();
    expect(await failureOf(many)).toMatchObject({
      code: 'SLUICE_TIMEOUT',
      message: "Semaphore 'db': timed out after 30 ms waiting for 2 permits. No permit was taken.",
    });
    await (await behind).release();
    await guard.release();
    expect(await semaphore.available).toBe(2);
    expect(await semaphore.tryAcquire(1, 60_000)).toBe(true);
    expect(await semaphore.tryHold(2, 10)).toBeNull();
    await semaphore.release();
  });

  it('rejects with the reason of the signal, even if it is aborted while the call is on its way', async ({ open }) => {
    const semaphore = (await open()).semaphore('db', 1);
    const guard = await semaphore.holdAsync();
    const reason = new Error('stop');
    const controller = new AbortController();
    const waiting = semaphore.acquireAsync(1, { signal: controller.signal });
    controller.abort(reason);
    expect(await failureOf(waiting)).toBe(reason);
    expect(await failureOf(semaphore.acquireAsync(1, { signal: controller.signal }))).toBe(reason);
    await until('the line is empty', async () => (await semaphore.waiting) === 0);
    await guard.release();
    await until('the permit is free again', async () => (await semaphore.available) === 1);
  });

  it('returns a grant that arrives after the end of its wait', async ({ open }) => {
    const semaphore = (await open()).semaphore('db', 1);
    for (let i = 0; i < 40; i++) {
      const controller = new AbortController();
      const guard = await semaphore.holdAsync();
      const waiting = semaphore.acquireAsync(1, { signal: controller.signal });
      const released = guard.release();
      setTimeout(() => controller.abort(), i % 4);
      await waiting.then(
        () => semaphore.release(),
        () => undefined,
      );
      await released;
    }
    await until('the permit is free again', async () => (await semaphore.available) === 1);
    expect((await semaphore.inspect()).holders).toEqual([]);
  });

  it('gives tokens that only grow, over all primitives of the namespace', async ({ open }) => {
    const [a, b] = [await open(), await open()];
    const tokens: bigint[] = [];
    for (const space of [a, b, a]) {
      await space.semaphore('db', 2).runAsync(({ fencingToken }) => void tokens.push(fencingToken));
      await space.mutex('other').runAsync(({ fencingToken }) => void tokens.push(fencingToken));
    }
    expect(tokens).toEqual([...tokens].sort((x, y) => (x < y ? -1 : 1)));
    expect(new Set(tokens).size).toBe(6);
  });

  it('closes for all sessions: waiters and later callers get a ClosedError', async ({ open }) => {
    const [a, b] = [(await open()).semaphore('db', 1), (await open()).semaphore('db', 1)];
    const guard = await a.holdAsync();
    const waiting = failureOf(b.acquireAsync());
    await until('it waits', async () => (await a.waiting) === 1);
    await a.close();
    expect((await waiting).message).toBe("Semaphore 'db' is closed. No permit was taken.");
    expect((await failureOf(b.acquireAsync())).code).toBe('SLUICE_CLOSED');
    expect((await b.inspect()).state).toBe('closed');
    await guard.release();
    expect(await a.available).toBe(0);
  });

  it('reports holders and waiters of all processes by name', async ({ open }) => {
    const [a, b] = [
      (await open({ name: 'web' })).semaphore('db', 2),
      (await open({ name: 'batch' })).semaphore('db', 2),
    ];
    const guard = await a.holdAsync(2);
    const controller = new AbortController();
    b.acquireAsync(1, { signal: controller.signal }).catch(() => undefined);
    await until('it waits', async () => (await a.waiting) === 1);
    expect(await a.inspect()).toMatchObject({
      name: 'db',
      state: 'open',
      permits: 2,
      available: 0,
      holders: [{ label: 'web', permits: 2, fencingToken: String(guard.fencingToken) }],
      waiters: [{ label: 'batch', permits: 1 }],
    });
    controller.abort();
  });

  it('runs a body, releases after a failure, and throws for generator functions', async ({ open }) => {
    const semaphore = (await open()).semaphore('db', 1);
    const failure = new Error('body');
    expect(await failureOf(semaphore.runAsync(() => Promise.reject(failure)))).toBe(failure);
    expect(await semaphore.runAsync((guard) => guard.held)).toBe(true);
    expect(
      (
        await failureOf(
          semaphore.runAsync(function* () {
            yield 1;
          } as () => never),
        )
      ).code,
    ).toBe('SLUICE_MISUSE');
    const lock = semaphore.asLock();
    await lock.lockAsync();
    expect(await lock.tryLock()).toBe(false);
    await lock.unlock();
    expect(await semaphore.available).toBe(1);
  });

  it('with recovery: false is a signal: any session adds permits, and those of a dead session stay taken', async ({
    open,
  }) => {
    const [a, b] = [await open(), await open()];
    const [stop, seen] = [a.semaphore('stop', 0, { recovery: false }), b.semaphore('stop', 0, { recovery: false })];
    const waiting = seen.acquireAsync();
    await stop.release(3);
    await waiting;
    expect(await stop.available).toBe(2);
    await Promise.all([stop.release(), stop.release(2), stop.release()]);
    expect(await seen.tryAcquire(5)).toBe(true);
    await b.close();
    expect(await stop.available).toBe(1);
  });
});
