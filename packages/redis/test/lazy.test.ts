import { expect } from 'vitest';
import { deserialize, serialize } from 'node:v8';
import { failureOf, onServer, until } from './support/server.ts';

/** Every byte, and texts with characters of several bytes. */
const BYTES = Uint8Array.from({ length: 20_000 }, (_, at) => at * 7);
const TEXT = 'ü € 𝄞 \u0000 \n';

onServer('a lazy', (it) => {
  it('computes its value in one session, and all sessions get it', async ({ open }) => {
    const lazies = [
      (await open()).lazy<{ n: number }>('config'),
      (await open()).lazy<{ n: number }>('config'),
      (await open()).lazy<{ n: number }>('config'),
    ];
    let ran = 0;
    const values = await Promise.all(
      Array.from({ length: 12 }, async (_, i) =>
        lazies[i % 3]?.getAsync(async () => {
          ran++;
          await until('all others wait', async () => (await lazies[0]?.inspect())?.waiters.length === 11);
          return { n: 10 + i };
        }),
      ),
    );
    expect(ran).toBe(1);
    expect(new Set(values.map((value) => value?.n)).size).toBe(1);
    // Each session that decoded the value has its own object.
    expect(new Set(values).size).toBe(3);
    expect(await Promise.all(lazies.map((lazy) => lazy.isDone))).toEqual([true, true, true]);
  });

  it('keeps values of every codec unchanged', async ({ open }) => {
    const [a, b] = [await open(), await open()];
    const v8 = {
      name: 'v8: ü',
      encode: serialize as (value: unknown) => Uint8Array,
      decode: deserialize as (bytes: Uint8Array) => unknown,
    };
    await a.lazy('bytes', { codec: 'bytes' }).getAsync(() => BYTES);
    expect(await b.lazy('bytes', { codec: 'bytes' }).value).toEqual(BYTES);
    await a.lazy('nothing', { codec: 'bytes' }).getAsync(() => new Uint8Array());
    expect(await b.lazy('nothing', { codec: 'bytes' }).value).toEqual(new Uint8Array());
    await a.lazy('json').getAsync(() => [TEXT, null]);
    expect(await b.lazy('json').value).toEqual([TEXT, null]);
    await a.lazy('int32', { codec: 'int32' }).getAsync(() => -(2 ** 31));
    expect(await b.lazy('int32', { codec: 'int32' }).value).toBe(-(2 ** 31));
    await a.lazy('float64', { codec: 'float64' }).getAsync(() => Math.PI);
    expect(await b.lazy('float64', { codec: 'float64' }).value).toBe(Math.PI);
    await a.lazy('own', { codec: v8 }).getAsync(() => new Map([[TEXT, new Date(5)]]));
    expect(await b.lazy('own', { codec: v8 }).value).toEqual(new Map([[TEXT, new Date(5)]]));
  });

  it('lets the longest waiter try after a failure, and only the failed call gets the error', async ({ open }) => {
    const [a, b, c] = [
      (await open()).lazy<string>('config'),
      (await open()).lazy<string>('config'),
      (await open()).lazy<string>('config'),
    ];
    let fail: () => void = () => undefined;
    const first = failureOf(
      a.getAsync(() => new Promise((_, reject) => (fail = () => reject(new Error('no connection'))))),
    );
    await until('it runs', async () => (await a.inspect()).state === 'running');
    const waits = [c.waitAsync()];
    for (const [i, lazy] of [b, c].entries()) {
      waits.push(lazy.getAsync(() => `attempt ${i + 1}`));
      await until('it waits', async () => (await a.inspect()).waiters.length === i + 2);
    }
    expect([await a.tryGet(() => 'the next waiter did not get its turn'), await a.value]).toEqual([
      undefined,
      undefined,
    ]);
    fail();
    expect((await first).message).toBe('no connection');
    expect(await Promise.all(waits)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
    expect(await a.inspect()).toEqual({
      kind: 'lazy',
      name: 'config',
      state: 'done',
      waiters: [],
      codec: 'json',
      capacity: 65_536,
    });
  });

  it('keeps no value that its codec cannot represent, that is too large, or that cannot be read', async ({ open }) => {
    const space = await open();
    const unreadable = {
      name: 'unreadable',
      encode: () => new Uint8Array(1),
      decode: (): number => {
        throw new Error('unreadable');
      },
    };
    const broken = { name: 'broken', encode: () => 'text' as never, decode: () => 1 };
    expect((await failureOf(space.lazy('a').getAsync(() => undefined))).message).toBe(
      "Lazy 'a': the value cannot be represented in JSON, received undefined. The attempt failed.",
    );
    expect((await failureOf(space.lazy<string>('a', { capacity: 9 }).getAsync(() => '123456789'))).message).toBe(
      "Lazy 'a': a value may have at most 9 bytes, received one of 11. The attempt failed.",
    );
    expect((await failureOf(space.lazy('a', { codec: 'int32' }).getAsync(() => 0.5))).message).toBe(
      "Lazy 'a': a value must be a whole number from -2^31 to 2^31 - 1, received 0.5. The attempt failed.",
    );
    expect((await failureOf(space.lazy('a', { codec: broken }).getAsync(() => 1))).message).toBe(
      'Lazy \'a\': the codec broken must encode to a Uint8Array, received "text". The attempt failed.',
    );
    expect((await failureOf(space.lazy('a', { codec: unreadable }).getAsync(() => 1))).message).toBe('unreadable');
    expect((await space.lazy('a').inspect()).state).toBe('idle');
    expect(await space.lazy('a').getAsync(() => 7)).toBe(7);
  });

  it('throws for a value of another codec', async ({ open }) => {
    const space = await open();
    await space.lazy('config', { codec: 'bytes' }).getAsync(() => BYTES);
    const wrong = space.lazy('config');
    for (const call of [wrong.value, wrong.getAsync(() => 1), wrong.waitAsync()]) {
      expect(await failureOf(call)).toMatchObject({
        code: 'SLUICE_MISUSE',
        message:
          'Lazy \'config\' has a value of the codec "bytes", and this process made it with "json". All processes must agree.',
      });
    }
  });

  it('with a value sends no command for sessions that know it, and one for other sessions', async ({
    open,
    command,
  }) => {
    const [a, b] = [
      (await open({ lease: 60_000 })).lazy<number>('config'),
      (await open({ lease: 60_000 })).lazy<number>('config'),
    ];
    await a.getAsync(() => 1);
    const calls = async (): Promise<number> =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(String(await command('INFO', 'commandstats')))?.[1]);
    const before = await calls();
    for (let i = 0; i < 10; i++) expect(await a.getAsync(() => Promise.reject(new Error('again')))).toBe(1);
    expect(await calls()).toBe(before);
    for (let i = 0; i < 10; i++) expect(await b.tryGet(() => Promise.reject(new Error('again')))).toBe(1);
    expect(await calls()).toBe(before + 1);
  });

  it('keeps its value after its last session has closed', async ({ open, command, namespace }) => {
    const space = await open();
    await space.lazy('config').getAsync(() => ({ port: 8080 }));
    await failureOf(space.lazy('failed').getAsync(() => Promise.reject(new Error('no'))));
    await space.close();
    expect(await command('KEYS', `sl:{${namespace}}:p:*`)).toEqual([`sl:{${namespace}}:p:z:config`]);
    expect(Number(await command('TTL', `sl:{${namespace}}:p:z:config`))).toBeGreaterThan(600_000);
    expect(await command('HGET', `sl:{${namespace}}:p:z:config`, 'done')).toBe('4 json{"port":8080}');
    expect(await (await open()).lazy('config').tryWait()).toEqual({ port: 8080 });
  });

  it('is separate from a once of the same name', async ({ open }) => {
    const space = await open();
    await space.once('x').runAsync(() => undefined);
    expect([await space.lazy('x').isDone, await space.lazy('x').value]).toEqual([false, undefined]);
  });

  it('gives its initialiser a guard, and a timeout ends a wait', async ({ open }) => {
    const [a, b] = [(await open()).lazy<number>('config'), (await open()).lazy<number>('config')];
    let end: (value: number) => void = () => undefined;
    const running = a.getAsync(async (guard) => {
      expect([guard.held, guard.signal.aborted, guard.fencingToken > 0n]).toEqual([true, false, true]);
      return new Promise<number>((resolve) => (end = resolve));
    });
    await until('it runs', async () => (await b.inspect()).state === 'running');
    expect([
      await b.tryGet(() => 1),
      await b.tryGet(() => 1, 20),
      await b.tryWait(),
      await b.tryWait(20),
      await b.isDone,
    ]).toEqual([undefined, undefined, undefined, undefined, false]);
    expect((await failureOf(b.waitAsync({ timeout: 20 }))).message).toBe(
      "Lazy 'config': timed out after 20 ms. It got no value.",
    );
    end(5);
    expect([await running, await b.value]).toEqual([5, 5]);
  });

  it('rejects its waiters on close(), and an attempt at its end', async ({ open }) => {
    const [a, b] = [(await open()).lazy<number>('config'), (await open()).lazy<number>('config')];
    let end: (value: number) => void = () => undefined;
    const running = failureOf(a.getAsync(() => new Promise<number>((resolve) => (end = resolve))));
    await until('it runs', async () => (await b.inspect()).state === 'running');
    const waits = [failureOf(b.waitAsync()), failureOf(b.getAsync(() => 1))];
    await until('they wait', async () => (await b.inspect()).waiters.length === 2);
    await b.close();
    end(1);
    for (const each of [await running, ...(await Promise.all(waits))])
      expect(each).toMatchObject({ code: 'SLUICE_CLOSED', message: "Lazy 'config' is closed. It got no value." });
    expect([(await a.inspect()).state, await a.value]).toEqual(['closed', undefined]);
  });

  it('get() returns the first value stored after the server lost its data during an attempt', async ({
    open,
    command,
    namespace,
  }) => {
    const [a, b] = [(await open()).lazy<string>('config'), (await open()).lazy<string>('config')];
    let end: (value: string) => void = () => undefined;
    const running = a.getAsync(() => new Promise<string>((resolve) => (end = resolve)));
    await until('it runs', async () => (await b.inspect()).state === 'running');
    await command('DEL', `sl:{${namespace}}:p:z:config`);
    expect(await b.getAsync(() => 'second')).toBe('second');
    end('first');
    expect([await running, await a.value]).toEqual(['second', 'second']);
  });

  it('is computed by the next caller if the computing process has closed its space', async ({ open }) => {
    const [first, second] = [await open(), await open()];
    const lost = failureOf(
      first
        .lazy<number>('config')
        .getAsync(({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(1)))),
    );
    await until('it runs', async () => (await second.lazy('config').inspect()).state === 'running');
    const next = second.lazy<number>('config').getAsync(() => 2);
    await until('it waits', async () => (await second.lazy('config').inspect()).waiters.length === 1);
    await first.close();
    expect(await next).toBe(2);
    expect(['SLUICE_LEASE_LOST', 'SLUICE_CLOSED']).toContain((await lost).code);
  });
});
