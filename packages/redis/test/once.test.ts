import { expect } from 'vitest';
import { failureOf, onServer, until } from './support/server.ts';

onServer('a once', (it) => {
  it('runs one initialiser over all sessions, and all other calls wait for its end', async ({ open }) => {
    const onces = [(await open()).once('schema'), (await open()).once('schema'), (await open()).once('schema')];
    let [ran, over] = [0, false];
    await Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        await onces[i % 3]?.runAsync(async () => {
          ran++;
          await until('all others wait', async () => (await onces[0]?.inspect())?.waiters.length === 11);
          over = true;
        });
        expect(over).toBe(true);
      }),
    );
    expect(ran).toBe(1);
    expect(await Promise.all(onces.map((once) => once.isDone))).toEqual([true, true, true]);
  });

  it('lets the longest waiter try after a failure, and only the failed call gets the error', async ({ open }) => {
    const [a, b, c] = [(await open()).once('schema'), (await open()).once('schema'), (await open()).once('schema')];
    const order: string[] = [];
    let fail: () => void = () => undefined;
    const first = failureOf(
      a.runAsync(() => new Promise((_, reject) => (fail = () => reject(new Error('no connection'))))),
    );
    await until('it runs', async () => (await a.inspect()).state === 'running');
    const only = c.waitAsync();
    await until('one waits', async () => (await a.inspect()).waiters.length === 1);
    const waits = [];
    for (const [i, once] of [b, c, b].entries()) {
      waits.push(once.runAsync(() => void order.push(`attempt ${i + 1}`)));
      await until('it waits', async () => (await a.inspect()).waiters.length === i + 2);
    }
    expect((await a.inspect()).waiters.map(({ hasInitialiser }) => hasInitialiser)).toEqual([true, true, true, false]);
    expect(await a.tryRun(() => void order.push('the next waiter did not get its turn'))).toBe(false);
    fail();
    expect((await first).message).toBe('no connection');
    await Promise.all([...waits, only]);
    expect(order).toEqual(['attempt 1']);
    expect(await a.inspect()).toEqual({ kind: 'once', name: 'schema', state: 'done', waiters: [] });
  });

  it('sends no command for sessions that know that it is done, and one for other sessions', async ({
    open,
    command,
  }) => {
    const [a, b] = [(await open({ lease: 60_000 })).once('schema'), (await open({ lease: 60_000 })).once('schema')];
    await a.runAsync(() => undefined);
    const calls = async (): Promise<number> =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(String(await command('INFO', 'commandstats')))?.[1]);
    const before = await calls();
    for (let i = 0; i < 10; i++) await a.runAsync(() => Promise.reject(new Error('again')));
    expect(await calls()).toBe(before);
    for (let i = 0; i < 10; i++) expect(await b.tryRun(() => Promise.reject(new Error('again')))).toBe(true);
    expect(await calls()).toBe(before + 1);
  });

  it('stays done after its last session has closed', async ({ open, command, namespace }) => {
    const space = await open();
    await space.once('schema').runAsync(() => undefined);
    await failureOf(space.once('failed').runAsync(() => Promise.reject(new Error('no'))));
    await space.close();
    expect(await command('KEYS', `sl:{${namespace}}:p:*`)).toEqual([`sl:{${namespace}}:p:o:schema`]);
    expect(Number(await command('TTL', `sl:{${namespace}}:p:o:schema`))).toBeGreaterThan(600_000);
    expect(await (await open()).once('schema').tryWait()).toBe(true);
  });

  it('gives its initialiser a guard, and a timeout ends a wait', async ({ open }) => {
    const [a, b] = [(await open()).once('schema'), (await open()).once('schema')];
    let end: () => void = () => undefined;
    const running = a.runAsync(async (guard) => {
      expect([guard.held, guard.signal.aborted, guard.fencingToken > 0n]).toEqual([true, false, true]);
      // This release has no effect: the attempt ends with the promise.
      await guard.release();
      await new Promise<void>((resolve) => (end = resolve));
    });
    await until('it runs', async () => (await b.inspect()).state === 'running');
    expect([
      await b.tryRun(() => undefined),
      await b.tryRun(() => undefined, 20),
      await b.tryWait(),
      await b.tryWait(20),
      await b.isDone,
    ]).toEqual([false, false, false, false, false]);
    expect((await failureOf(b.waitAsync({ timeout: 20 }))).message).toBe(
      "Once 'schema': timed out after 20 ms. It was not done.",
    );
    end();
    await running;
    expect(await b.isDone).toBe(true);
  });

  it('rejects its waiters on close(), and an attempt at its end', async ({ open }) => {
    const [a, b] = [(await open()).once('schema'), (await open()).once('schema')];
    let end: () => void = () => undefined;
    const running = failureOf(a.runAsync(() => new Promise<void>((resolve) => (end = resolve))));
    await until('it runs', async () => (await b.inspect()).state === 'running');
    const waits = [failureOf(b.waitAsync()), failureOf(b.runAsync(() => undefined))];
    await until('they wait', async () => (await b.inspect()).waiters.length === 2);
    await b.close();
    end();
    for (const each of [await running, ...(await Promise.all(waits))])
      expect(each).toMatchObject({ code: 'SLUICE_CLOSED', message: "Once 'schema' is closed. It was not done." });
    expect((await a.inspect()).state).toBe('closed');
  });

  it('is tried by the next caller if the running process has closed its space', async ({ open }) => {
    const [first, second] = [await open(), await open()];
    const lost = failureOf(
      first
        .once('schema')
        .runAsync(({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve))),
    );
    await until('it runs', async () => (await first.once('schema').inspect()).state === 'running');
    const next = second.once('schema').runAsync(() => undefined);
    await until('it waits', async () => (await first.once('schema').inspect()).waiters.length === 1);
    await first.close();
    await next;
    expect(['SLUICE_LEASE_LOST', 'SLUICE_CLOSED']).toContain((await lost).code);
  });
});
