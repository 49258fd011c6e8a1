import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { turn } from '../../core/test/support/turn.ts';
import { failureOf, settled, until, withPool, type AnyPool } from './support/pool.ts';
import { Endless } from './support/endless.ts';

test('map() yields the results in the order of the inputs', () =>
  withPool({ size: 2 }, async (pool) => expect(await pool.map([3, 1, 2], { name: 'double' })).toEqual([6, 2, 4])));

test('map() of no inputs resolves with no results', () =>
  withPool({}, async (pool) => expect(await pool.map([])).toEqual([])));

test('map() accepts async inputs', () =>
  withPool({}, async (pool) => {
    async function* inputs(): AsyncGenerator<number> {
      for (let n = 0; n < 5; n++) {
        await turn();
        yield n;
      }
    }
    expect(await pool.map(inputs(), { name: 'double' })).toEqual([0, 2, 4, 6, 8]);
  }));

test('map() requests one input more than the queue accepts, and no further input', () =>
  withPool({ maxQueue: 2, name: 'hold' }, async (pool, stage) => {
    let asked = 0;
    function* inputs(): Generator<number> {
      while (asked < 10) yield (asked += 1);
    }
    const all = pool.map(inputs());
    await until(() => stage.begun === 1);
    for (let turns = 0; turns < 20; turns++) await turn();
    expect(asked).toBe(4);
    stage.open();
    expect(await all).toHaveLength(10);
  }));

test('map() rejects with the first failure and stops an endless input', () =>
  withPool({ maxQueue: 1 }, async (pool) => {
    const inputs = new Endless();
    expect(await failureOf(pool.map(inputs, { name: 'none' }))).toMatchObject({ code: 'SLUICE_TASK_FILE' });
    expect(inputs.returned).toBe(true);
    expect(inputs.asked).toBeLessThan(10);
  }));

test('map() rejects when the pool is destroyed', () =>
  withPool({ maxQueue: 1, name: 'hold' }, async (pool, stage) => {
    const inputs = new Endless();
    const all = failureOf(pool.map(inputs));
    await until(() => stage.begun === 1);
    await pool.destroy();
    expect(await all).toMatchObject({ code: 'SLUICE_POOL_CLOSED' });
    expect(inputs.returned).toBe(true);
  }));

test('an aborted map() rejects with the reason', () =>
  withPool({ maxQueue: 1, name: 'hold' }, async (pool, stage) => {
    const abort = new AbortController();
    const all = failureOf(pool.map(new Endless(), { name: 'hold', signal: abort.signal }));
    await until(() => stage.begun === 1);
    abort.abort('enough');
    expect(await all).toBe('enough');
  }));

test('map() rejects with the error of an input that throws', () =>
  withPool({}, async (pool) => {
    function* inputs(): Generator<number> {
      yield 1;
      throw new RangeError('no more');
    }
    expect(await failureOf(pool.map(inputs()))).toMatchObject({ message: 'no more' });
    expect(await failureOf(pool.map(5 as never))).toBeInstanceOf(TypeError);
  }));

// Fails if `map` notices the failure only when the next input arrives.
test('map() rejects with a failure that occurs while it waits for the next input', () =>
  withPool({}, async (pool) => {
    async function* inputs(): AsyncGenerator<number> {
      yield 1;
      await new Promise(() => undefined);
    }
    expect(await settled(failureOf(pool.map(inputs(), { name: 'none' })))).toMatchObject({ code: 'SLUICE_TASK_FILE' });
  }));

/** Makes one input, and then never another. */
async function* stuck(): AsyncGenerator<number> {
  yield 1;
  await new Promise(() => undefined);
}

test.each(['destroy', 'close'] as const)('%s ends a map() that waits for its next input', (end) =>
  withPool({}, async (pool) => {
    const all = failureOf(pool.map(stuck()));
    await until(() => pool.stats().completed === 1);
    await pool[end]();
    expect(await settled(all)).toMatchObject({ code: 'SLUICE_POOL_CLOSED' });
  }),
);

test('an abort ends a map() that waits for its next input, and no listener is left', () =>
  withPool({}, async (pool) => {
    const abort = new AbortController();
    const all = failureOf(pool.map(stuck(), { signal: abort.signal }));
    await until(() => pool.stats().completed === 1);
    abort.abort('enough');
    expect(await settled(all)).toBe('enough');
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  }));

async function* three(): AsyncGenerator<number> {
  yield await Promise.resolve(1);
  yield 2;
  yield 3;
}

// All inputs were accepted. Only the end of the inputs is still unknown.
test.each([
  ['inputs', () => [1, 2, 3]],
  ['async inputs', three],
])('a map() whose last task was accepted before close() resolves (%s)', (_, inputs) =>
  withPool({ maxQueue: 1, name: 'hold' }, async (pool, stage) => {
    const all = pool.map(inputs());
    await until(() => pool.stats().waiting === 1);
    const closed = pool.close();
    stage.open();
    expect(await settled(all)).toEqual([1, 2, 3]);
    await closed;
  }),
);

/** Makes inputs from a function, and records whether `return` was called. */
function byHand(
  next: () => IteratorResult<number>,
  stop: () => IteratorResult<number>,
): { told: number } & Iterable<number> {
  const inputs = {
    told: 0,
    [Symbol.iterator]: () => ({
      next,
      return: () => {
        inputs.told += 1;
        return stop();
      },
    }),
  };
  return inputs;
}

const fail = (message: string) => (): never => {
  throw new RangeError(message);
};

test('an input iterator whose return() throws does not hide the failure', () =>
  withPool({}, async (pool) => {
    const inputs = byHand(() => ({ done: false, value: 1 }), fail('of return'));
    expect(await failureOf(pool.map(inputs, { name: 'none' }))).toMatchObject({ code: 'SLUICE_TASK_FILE' });
    expect(inputs.told).toBe(1);
  }));

test('return() is not called on an iterator that has thrown', () =>
  withPool({}, async (pool) => {
    const inputs = byHand(fail('of next'), () => ({ done: true, value: 0 }));
    expect(await failureOf(pool.map(inputs))).toMatchObject({ message: 'of next' });
    expect(inputs.told).toBe(0);
  }));

test('map() requests no input after its end or with an aborted signal', () =>
  withPool({}, async (pool) => {
    const inputs = new Endless();
    expect(await failureOf(pool.map(inputs, { signal: AbortSignal.abort('before') }))).toBe('before');
    await pool.close();
    expect(await failureOf(pool.map(inputs))).toMatchObject({ code: 'SLUICE_POOL_CLOSED' });
    expect(inputs.asked).toBe(0);
  }));

async function warningsOf(body: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = [];
  const note = ({ message }: Error): number => warnings.push(message);
  process.on('warning', note);
  try {
    await body();
    await turn();
  } finally {
    process.off('warning', note);
  }
  return warnings;
}

const maps = (pool: AnyPool, signal?: AbortSignal): Promise<unknown> =>
  Promise.all(Array.from({ length: 12 }, () => pool.map([1, 2], { name: 'double', signal })));

// Fails if each `map` waits as a listener of `settled`.
test('many simultaneous maps cause no warning', () =>
  withPool({ maxQueue: 0 }, async (pool) => expect(await warningsOf(() => maps(pool))).toEqual([])));

// Fails if each task adds a listener: Node.js warns of more than 10.
test('many tasks with one signal cause no warning', () =>
  withPool({ maxQueue: 100 }, async (pool) => {
    const { signal } = new AbortController();
    expect(await warningsOf(() => maps(pool, signal))).toEqual([]);
  }));

test('map() of a string uses its characters, and a value that is not iterable throws', () =>
  withPool({}, async (pool) => {
    expect(await pool.map('123', { name: 'double' })).toEqual([2, 4, 6]);
    for (const inputs of [undefined, null, 3, {}]) {
      await expect(pool.map(inputs as never)).rejects.toThrow(
        /^The inputs must be an iterable or an async iterable: received /,
      );
    }
  }));
