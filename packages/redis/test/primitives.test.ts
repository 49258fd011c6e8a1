import { inspect } from 'node:util';
import { expect } from 'vitest';
import { failureOf, onServer, until } from './support/server.ts';

onServer('locks and limits', (it) => {
  it('a mutex admits one caller at a time, over all sessions', async ({ open }) => {
    const locks = [(await open()).mutex('account'), (await open()).mutex('account')];
    let [inside, most, ran] = [0, 0, 0];
    await Promise.all(
      Array.from({ length: 40 }, async (_, i) =>
        locks[i % 2]?.runAsync(async () => {
          most = Math.max(most, ++inside);
          await Promise.resolve();
          inside--;
          ran++;
        }),
      ),
    );
    expect([most, ran]).toEqual([1, 40]);
  });

  it('a mutex and a semaphore of the same name are separate', async ({ open }) => {
    const space = await open();
    await space.mutex('x').lockAsync();
    expect(await space.semaphore('x', 1).tryAcquire()).toBe(true);
  });

  it('unlock() of a mutex that is not held rejects', async ({ open }) => {
    const mutex = (await open()).mutex('account');
    expect((await failureOf(mutex.unlock())).message).toBe(
      "Mutex 'account': cannot release 1 permit: this process holds 0 without a guard. Nothing was released.",
    );
  });

  it('a read-write lock admits readers together and a writer alone, in order', async ({ open }) => {
    const [a, b] = [(await open()).rwLock('table'), (await open()).rwLock('table')];
    const readers = [await a.reader.holdAsync(), await b.reader.holdAsync()];
    expect(await b.writer.tryLock()).toBe(false);
    const order: string[] = [];
    const writing = b.writer.runAsync(() => void order.push('writer'));
    await until('the writer waits', async () => (await a.writer.inspect()).waiters.length === 1);
    const reading = [a, b].map((lock) => lock.reader.runAsync(() => void order.push('reader')));
    await until('all wait', async () => (await a.writer.inspect()).waiters.length === 3);
    await Promise.all(readers.map((guard) => guard.release()));
    await Promise.all([writing, ...reading]);
    expect(order).toEqual(['writer', 'reader', 'reader']);
  });

  it('a capacitor serves at most `bypass` callers of a process per grant', async ({ open }) => {
    const [a, b] = [(await open()).capacitor('hot', { bypass: 3 }), (await open()).capacitor('hot', { bypass: 3 })];
    const first = await a.holdAsync();
    const order: string[] = [];
    const mine = Array.from({ length: 7 }, () => a.runAsync(() => void order.push('a')));
    await until('one place in line represents both callers', async () => (await a.inspect()).waiters.length === 1);
    const other = b.runAsync(() => void order.push('b'));
    await until('the other caller waits', async () => (await a.inspect()).waiters.length === 2);
    await first.release();
    await Promise.all([...mine, other]);
    // The first grant serves two more callers. Then the places in line are served: three of a, b, two of a.
    expect(order).toEqual(['a', 'a', 'a', 'a', 'a', 'b', 'a', 'a']);
  });

  it('with linger an idle permit stays, and is released at once when another session requests it', async ({
    open,
    command,
  }) => {
    // The lease and the linger are so long that neither a heartbeat nor its end happens meanwhile: without the request of
    // the other session, the permit would stay for longer than a test may last.
    const options = { bypass: 2, linger: 3_600_000 };
    const lease = 3_600_000;
    const [a, b] = [
      (await open({ lease })).semaphore('hot', 1, options),
      (await open({ lease })).semaphore('hot', 1, options),
    ];
    const before = Number(/cmdstat_evalsha:calls=(\d+)/.exec(String(await command('INFO', 'commandstats')))?.[1]);
    const tokens = new Set<bigint>();
    for (let i = 0; i < 50; i++) await a.runAsync(({ fencingToken }) => void tokens.add(fencingToken));
    const calls =
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(String(await command('INFO', 'commandstats')))?.[1]) - before;
    expect(tokens.size).toBe(1);
    expect(calls).toBeLessThan(10);
    await b.runAsync(() => undefined);
  });

  it('local waiters behind a grant can time out and be aborted', async ({ open }) => {
    const lock = (await open()).capacitor('hot', { linger: 1000 });
    const guard = await lock.holdAsync();
    const controller = new AbortController();
    const waits = [lock.lockAsync({ timeout: 20 }), lock.lockAsync({ signal: controller.signal })].map(failureOf);
    const last = lock.holdAsync();
    controller.abort(new Error('stop'));
    expect(await Promise.all(waits)).toMatchObject([{ code: 'SLUICE_TIMEOUT' }, { message: 'stop' }]);
    await guard.release();
    await (await last).release();
  });

  it('a limit runs at most `concurrency` calls of all sessions at a time, in order', async ({ open }) => {
    const limits = [(await open()).limit('api', 3), (await open()).limit('api', 3)];
    let [running, most] = [0, 0];
    let meet: () => void = () => undefined;
    const met = new Promise<void>((resolve) => (meet = resolve));
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        (limits[i % 2] as (typeof limits)[0])(async (n: number) => {
          most = Math.max(most, ++running);
          if (running === 3) meet();
          await met;
          running--;
          return n * 2;
        }, i),
      ),
    );
    expect(results).toEqual(Array.from({ length: 30 }, (_, i) => i * 2));
    expect(most).toBe(3);
    expect(limits.map(({ activeCount, pendingCount }) => [activeCount, pendingCount])).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  it('a limit maps, clears its queue, and changes its size for all sessions', async ({ open }) => {
    const [a, b] = [
      (await open()).limit('api', { concurrency: 1, rejectOnClear: true }),
      (await open()).limit('api', 1),
    ];
    expect(await a.map([1, 2, 3], (n, index) => n * 10 + index)).toEqual([10, 21, 32]);
    expect(await a.run((x: number, y: number) => x - y, { args: [5, 3], timeout: 60_000 })).toBe(2);
    expect(await failureOf(a.run(() => 1, { args: 5 as never }))).toBeInstanceOf(TypeError);
    expect(await failureOf(a.run(() => 1, { priority: 'high' } as never))).toBeInstanceOf(TypeError);
    expect((await failureOf(a.run(() => 1, null as never))).message).toMatch(/^The options must be an object/);
    let end: () => void = () => undefined;
    const running = a(() => new Promise<void>((resolve) => (end = resolve)));
    await until('it runs', () => a.activeCount === 1);
    const dropped = failureOf(a(() => 1));
    await until('it waits', () => a.pendingCount === 1);
    a.clearQueue();
    expect((await dropped).name).toBe('AbortError');
    await a.resize(2);
    expect(await b(() => 'second')).toBe('second');
    expect(b.concurrency).toBe(2);
    end();
    await running;
    await a.close();
    await until('idle slots were returned', () =>
      b(() => 1).then(
        () => false,
        (failure: unknown) => (failure as { code?: string }).code === 'SLUICE_CLOSED',
      ),
    );
  });

  it('clearQueue() leaves no pending call, also if the dropped calls never settle', async ({ open }) => {
    const limit = (await open()).limit('api', 1);
    let end: () => void = () => undefined;
    const running = limit(() => new Promise<void>((resolve) => (end = resolve)));
    await until('it runs', () => limit.activeCount === 1);
    void limit(() => 1);
    await until('it waits', () => limit.pendingCount === 1);
    limit.clearQueue();
    await until('no call is pending', () => limit.pendingCount === 0);
    end();
    await running;
    expect([limit.activeCount, limit.pendingCount]).toEqual([0, 0]);
  });

  it('console.log shows a limit in one line', async ({ open }) => {
    expect(inspect((await open()).limit('api', 3))).toBe(
      "RemoteLimit { name: 'api', concurrency: 3, active: 0, pending: 0 }",
    );
  });

  it('a limit with an interval starts a bounded number of calls per interval, over all sessions', async ({ open }) => {
    const options = { concurrency: 10, interval: 200, intervalCap: 3 };
    const limits = [(await open()).limit('api', options), (await open()).limit('api', options)];
    const starts: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        (limits[i % 2] as (typeof limits)[0])(() => void starts.push(performance.now())),
      ),
    );
    // Eight starts need three intervals. Messages may be some ms late.
    expect(starts).toHaveLength(8);
    expect(Math.max(...starts) - Math.min(...starts)).toBeGreaterThanOrEqual(300);
  });
});
