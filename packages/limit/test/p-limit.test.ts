// The cases of p-limit's own tests (test.js of version 7, by Sindre Sorhus, MIT), rewritten without times, and further
// cases from its readme and its source. Each case also runs against p-limit, so both must behave the same. One part is
// left out: how long three functions take one after the other.

import { AsyncLocalStorage } from 'node:async_hooks';
import pLimit, { limitFunction as pLimitFunction, type LimitFunction } from 'p-limit';
import { describe, expect, test } from 'vitest';
import { createLimit, limitFunction } from '../src/index.ts';
import { Gate, Stage, turns } from './support/gate.ts';

type Create = (concurrency: Parameters<typeof pLimit>[0]) => LimitFunction;
type Wrap = typeof pLimitFunction;

// Assignable: a function that expects a p-limit by its type takes one of ours.
const subjects: readonly (readonly [name: string, create: Create, wrap: Wrap])[] = [
  ['p-limit', pLimit, pLimitFunction],
  ['createLimit', createLimit, limitFunction],
];

const NUMBER = 'Expected `concurrency` to be a number from 1 and up';

describe.each(subjects)('%s', (_, create, wrap) => {
  test('concurrency 1 runs one function after another, and each call gets its own result', async () => {
    const stage = new Stage();
    const limit = create(1);
    const results = Promise.all(['a', 'b', 'c'].map((name) => limit(stage.play, name)));
    for (const name of ['a', 'b', 'c']) {
      await turns();
      expect(stage.running).toEqual([name]);
      await stage.end(name);
    }
    expect(await results).toEqual(['a', 'b', 'c']);
  });

  test('at most as many functions run as the concurrency allows', async () => {
    const limit = create(5);
    let running = 0;
    const seen = new Set<number>();
    const calls = Array.from({ length: 100 }, (_, index) =>
      limit(async () => {
        seen.add(++running);
        await turns(index % 4);
        running -= 1;
      }),
    );
    await Promise.all(calls);
    expect([...seen].sort()).toEqual([1, 2, 3, 4, 5]);
  });

  test('a function runs in the async context of its caller', async () => {
    const limit = create(2);
    const store = new AsyncLocalStorage<number>();
    const check = async (id: number): Promise<[number, number | undefined, number | undefined]> => {
      const before = store.getStore();
      await turns(1);
      return [id, before, store.getStore()];
    };
    const calls = Array.from({ length: 100 }, (_, id) => store.run(id, () => limit(check, id)));
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 100 }, (_, id) => [id, id, id]));
  });

  test('a function need not return a promise', async () => {
    expect(await create(1)(() => null)).toBe(null);
  });

  test('the limit continues after a function that throws at once', async () => {
    const limit = create(1);
    const ran: string[] = [];
    const calls = [
      limit(() => {
        throw new Error('err');
      }),
      limit(() => ran.push('second')),
    ];
    const [first, second] = await Promise.allSettled(calls);
    expect(first).toMatchObject({ status: 'rejected', reason: { message: 'err' } });
    expect([second?.status, ran]).toEqual(['fulfilled', ['second']]);
  });

  test('a function gets the arguments of its call', async () => {
    const symbol = Symbol('test');
    expect(await create(1)((...given: unknown[]) => given, symbol, 2, 'three')).toEqual([symbol, 2, 'three']);
  });

  test('an error of a function rejects its own call with that error, and no other', async () => {
    const limit = create(1);
    const failure = new Error('🦄');
    const calls = [
      limit(() => turns(1)),
      limit(() => turns(2).then(() => Promise.reject(failure))),
      limit(() => turns(1)),
    ];
    const ends = await Promise.allSettled(calls);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((ends[1] as PromiseRejectedResult).reason).toBe(failure);
  });

  test('a function is not called before its caller continues', async () => {
    const limit = create(1);
    let ran = false;
    const call = limit(() => (ran = true));
    expect(ran).toBe(false);
    await call;
    expect(ran).toBe(true);
  });

  test('activeCount counts running functions, pendingCount waiting calls', async () => {
    const limit = create(5);
    const stage = new Stage();
    const counts = (): [number, number] => [limit.activeCount, limit.pendingCount];
    expect(counts()).toEqual([0, 0]);
    const one = limit(stage.play, 'one');
    expect(counts()).toEqual([1, 0]);
    await turns();
    await stage.end('one');
    await one;
    expect(counts()).toEqual([0, 0]);
    const calls = Array.from({ length: 8 }, (_, index) => limit(stage.play, `${index}`));
    expect(counts()).toEqual([5, 3]);
    await turns();
    expect([...counts(), stage.running.length]).toEqual([5, 3, 5]);
    await stage.end('0', '1', '2', '3', '4');
    expect([...counts(), stage.running.length]).toEqual([3, 0, 3]);
    await stage.endAll();
    await Promise.all(calls);
    expect(counts()).toEqual([0, 0]);
  });

  test('clearQueue() drops waiting calls, and running functions continue', async () => {
    const limit = create(1);
    const stage = new Stage();
    const first = limit(stage.play, 'first');
    const settled: string[] = [];
    for (const name of ['a', 'b', 'c'])
      void limit(stage.play, name).then(
        () => settled.push(name),
        () => settled.push(name),
      );
    await turns();
    expect(limit.pendingCount).toBe(3);
    limit.clearQueue();
    expect([limit.pendingCount, limit.activeCount]).toEqual([0, 1]);
    const next = limit(stage.play, 'next');
    await stage.end('first');
    expect(await first).toBe('first');
    expect([stage.began, settled]).toEqual([['first', 'next'], []]);
    await stage.endAll();
    expect(await next).toBe('next');
  });

  test('clearQueue() rejects waiting calls with an AbortError under rejectOnClear', async () => {
    const limit = create({ concurrency: 1, rejectOnClear: true });
    const stage = new Stage();
    const first = limit(stage.play, 'first');
    const dropped = [limit(stage.play, 'a'), limit(stage.play, 'b')];
    limit.clearQueue();
    for (const end of await Promise.allSettled(dropped)) {
      expect(end).toMatchObject({ status: 'rejected', reason: { name: 'AbortError' } });
      expect((end as PromiseRejectedResult).reason).toBeInstanceOf(DOMException);
    }
    await stage.endAll();
    expect([await first, stage.began]).toEqual(['first', ['first']]);
  });

  test.each([0, -1, 1.2, NaN, -Infinity, undefined, true, '4', 4n, {}, { concurrency: 0 }, { concurrency: '4' }])(
    'createLimit() throws for concurrency %s',
    (wrong) => {
      const attempt = (): unknown => create(wrong as never);
      expect(attempt).toThrow(TypeError);
      expect(attempt).toThrow(NUMBER);
      const limit = create(1);
      if (typeof wrong !== 'object') expect(() => (limit.concurrency = wrong as never)).toThrow(NUMBER);
      expect(limit.concurrency).toBe(1);
    },
  );

  test('createLimit() throws for null', () => {
    expect(() => create(null as never)).toThrow(TypeError);
  });

  test.each([null, 0, 'yes', {}])('createLimit() throws for rejectOnClear %s', (rejectOnClear) => {
    const attempt = (): unknown => create({ concurrency: 1, rejectOnClear } as never);
    expect(attempt).toThrow(TypeError);
    expect(attempt).toThrow('Expected `rejectOnClear` to be a boolean');
  });

  test('a call without a function rejects with a TypeError, and other calls continue', async () => {
    const limit = create(1);
    await expect(limit(5 as never)).rejects.toThrow(TypeError);
    expect(await limit(() => 'on')).toBe('on');
    expect(limit.activeCount).toBe(0);
  });

  test('concurrency Infinity runs all calls at once', async () => {
    const limit = create(Infinity);
    const stage = new Stage();
    const calls = Array.from({ length: 200 }, (_, index) => limit(stage.play, `${index}`));
    await turns();
    expect([limit.concurrency, limit.activeCount, stage.running.length]).toEqual([Infinity, 200, 200]);
    await stage.endAll();
    await Promise.all(calls);
  });

  test('after the concurrency is lowered, no function begins until enough functions have ended', async () => {
    const limit = create(4);
    let running = 0;
    const log: number[] = [];
    const gates = Array.from({ length: 10 }, () => new Gate());
    const calls = gates.map((gate) =>
      limit(async () => {
        log.push(++running);
        await gate.passed;
        running -= 1;
      }),
    );
    await turns();
    expect(running).toBe(4);
    limit.concurrency = 2;
    expect([limit.concurrency, limit.activeCount, limit.pendingCount]).toEqual([2, 4, 6]);
    for (const gate of gates) {
      gate.open();
      await turns();
    }
    await Promise.all(calls);
    expect(log).toEqual([1, 2, 3, 4, 2, 2, 2, 2, 2, 2]);
  });

  test('waiting calls begin at once when the concurrency is raised', async () => {
    const limit = create(2);
    const stage = new Stage();
    const calls = Array.from({ length: 10 }, (_, index) => limit(stage.play, `${index}`));
    await turns();
    expect(stage.running).toEqual(['0', '1']);
    limit.concurrency = 4;
    await turns();
    expect([limit.concurrency, stage.running]).toEqual([4, ['0', '1', '2', '3']]);
    await stage.endAll();
    await Promise.all(calls);
  });

  test('a function that ends makes room within the same turn of the event loop', async () => {
    const limit = create(2);
    let running = 0;
    const log: number[] = [];
    const calls = Array.from({ length: 8 }, () =>
      limit(async () => {
        log.push(++running);
        // Callbacks of one turn: microtasks run in between.
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
      }),
    );
    await Promise.all(calls);
    expect(log).toEqual([1, 2, 2, 2, 2, 2, 2, 2]);
  });

  test('map() calls its function with item and index, and keeps the order of the items', async () => {
    const limit = create(2);
    let running = 0;
    let most = 0;
    const results = await limit.map(new Set(['a', 'b', 'c', 'd', 'e']), async (item, index) => {
      most = Math.max(most, ++running);
      await turns(5 - index);
      running -= 1;
      return `${item}${index}`;
    });
    expect([results, most]).toEqual([['a0', 'b1', 'c2', 'd3', 'e4'], 2]);
    expect(await limit.map([], () => 1)).toEqual([]);
  });

  test('map() rejects as Promise.all does', async () => {
    const ran: number[] = [];
    const results = create(1).map([1, 2, 3], (item) => {
      ran.push(item);
      if (item === 2) throw new Error('two');
    });
    await expect(results).rejects.toThrow('two');
    await turns();
    expect(ran).toEqual([1, 2, 3]);
  });

  test('map() of an iterable that throws rejects with its error, and calls made before run', async () => {
    const ran: number[] = [];
    function* items(): Generator<number> {
      yield 1;
      yield 2;
      throw new Error('iterable');
    }
    const results = create(1).map(items(), (item) => {
      ran.push(item);
      throw new Error('it is never seen');
    });
    await expect(results).rejects.toThrow('iterable');
    await turns();
    expect(ran).toEqual([1, 2]);
  });

  test('map() of a value that is not iterable rejects with a TypeError', async () => {
    await expect(create(1).map(null as never, () => 1)).rejects.toThrow(TypeError);
  });

  test('methods work without this, and counts are read-only', async () => {
    const limit = create(1);
    const { map, clearQueue } = limit;
    expect(await map([1], (item) => item)).toEqual([1]);
    clearQueue();
    for (const count of ['activeCount', 'pendingCount'])
      expect(() => Object.assign(limit, { [count]: 3 })).toThrow(TypeError);
  });

  test('limitFunction() limits one function and clears its waiting calls', async () => {
    const stage = new Stage();
    const limited = wrap(stage.play, { concurrency: 2, rejectOnClear: true });
    const calls = ['a', 'b', 'c', 'd'].map((name) => limited(name));
    await turns();
    expect(stage.running).toEqual(['a', 'b']);
    await stage.end('a');
    expect(stage.running).toEqual(['b', 'c']);
    const ends = Promise.allSettled(calls);
    limited.clearQueue();
    await stage.endAll();
    expect((await ends).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(() => wrap(stage.play, { concurrency: 0 })).toThrow(NUMBER);
  });
});

describe('differences from p-limit', () => {
  test.each([
    ['p-limit', pLimit, ['a']],
    ['createLimit', createLimit, ['a', 'b']],
  ] as readonly (readonly [string, Create, readonly string[]])[])(
    'raising the concurrency and lowering it in the same turn, with %s',
    async (_, create, running) => {
      const stage = new Stage();
      const limit = create(1);
      const calls = ['a', 'b', 'c', 'd'].map((name) => limit(stage.play, name));
      await turns();
      limit.concurrency = 3;
      limit.concurrency = 1;
      await turns();
      expect([stage.running, limit.concurrency]).toEqual([running, 1]);
      await stage.endAll();
      await Promise.all(calls);
    },
  );
});
