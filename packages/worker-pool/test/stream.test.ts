import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { turn } from '../../core/test/support/turn.ts';
import { ABORTED } from './jobs/words.mjs';
import { Endless } from './support/endless.ts';
import { failureOf, PoolClosedError, settled, until, withPool } from './support/pool.ts';

/** The outputs, and the error that ended the loop. */
async function all(stream: AsyncIterable<unknown>): Promise<{ outputs: unknown[]; failure?: unknown }> {
  const outputs: unknown[] = [];
  try {
    for await (const output of stream) outputs.push(output);
  } catch (failure) {
    return { outputs, failure };
  }
  return { outputs };
}

/** Makes one input, and then never another. */
async function* stuck(): AsyncGenerator<number> {
  yield 1;
  await new Promise(() => undefined);
}

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await turn();
}

test('stream() yields the outputs in the order of the inputs', () =>
  withPool({ size: 2 }, async (pool) =>
    expect(await all(pool.stream([3, 1, 2], { name: 'double' }))).toEqual({ outputs: [6, 2, 4] }),
  ));

test('stream() of no inputs ends at once', () =>
  withPool({}, async (pool) => expect(await all(pool.stream([]))).toEqual({ outputs: [] })));

test('stream() accepts async inputs and the outputs of another stream', () =>
  withPool({ size: 2 }, async (pool) => {
    async function* inputs(): AsyncGenerator<number> {
      for (let n = 0; n < 5; n++) {
        await turn();
        yield n;
      }
    }
    const doubled = pool.stream(inputs(), { name: 'double' });
    expect(await all(pool.stream(doubled, { name: 'double' }))).toEqual({ outputs: [0, 4, 8, 12, 16] });
  }));

test('functions() runs a function by its name as a stream', () =>
  withPool({}, async (pool) => {
    const tasks = pool.functions<{ double: (input: number) => Promise<number> }>();
    const outputs: number[] = [];
    for await (const output of tasks.stream('double', [1, 2])) outputs.push(output);
    expect(outputs).toEqual([2, 4]);
  }));

test('an ordered stream holds an output until all earlier outputs were taken', () =>
  withPool({ size: 2, concurrentTasksPerWorker: 1 }, async (pool, stage) => {
    const stream = pool.stream([1, 2, 3].map(slowFirst), { name: 'holdSome', concurrency: 3 });
    const first = stream.next();
    await until(() => pool.stats().completed === 2);
    stage.open();
    expect(await first).toEqual({ done: false, value: 1 });
    expect(await all(stream)).toEqual({ outputs: [2, 3] });
  }));

test('an unordered stream gives the outputs in the order in which the tasks end', () =>
  withPool({ size: 2 }, async (pool, stage) => {
    const stream = pool.stream([1, 2, 3].map(slowFirst), { name: 'holdSome', concurrency: 3, ordered: false });
    expect([await stream.next(), await stream.next()]).toMatchObject([{ value: 2 }, { value: 3 }]);
    stage.open();
    expect(await all(stream)).toEqual({ outputs: [1] });
  }));

/** The task of the first input waits until the test opens the stage. */
const slowFirst = (input: number): { input: number; holds: boolean } => ({ input, holds: input === 1 });

test.each([
  [{ concurrency: 3 }, 3],
  [{ concurrency: 3, ordered: false }, 3],
  [{ concurrency: 1 }, 1],
  [{}, 4],
])('stream() with %o reads at most %i inputs whose outputs were not taken', (options, most) =>
  withPool({ size: 2, maxQueue: 1 }, async (pool) => {
    const inputs = new Endless();
    const stream = pool.stream(inputs, options);
    expect(inputs.asked).toBe(0);
    for (let taken = 1; taken <= 5; taken++) {
      expect((await stream.next()).done).toBe(false);
      await until(() => pool.stats().completed === taken + most);
      await turns(5);
      expect(inputs.asked).toBe(taken + most);
    }
    await stream.return();
    expect(inputs.returned).toBe(true);
  }),
);

test('stream() does not begin before its first output is requested', () =>
  withPool({}, async (pool) => {
    const inputs = new Endless();
    const stream = pool.stream(inputs);
    await turns(5);
    expect([inputs.asked, pool.stats().completed]).toEqual([0, 0]);
    await stream.return();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect([inputs.asked, inputs.returned]).toEqual([0, false]);
  }));

test('many simultaneous calls of next() get the outputs in their order, and the end', () =>
  withPool({ size: 2 }, async (pool) => {
    const stream = pool.stream([1, 2, 3], { name: 'double', concurrency: 1 });
    const steps = await Promise.all(Array.from({ length: 5 }, () => stream.next()));
    expect(steps.map(({ value }) => value)).toEqual([2, 4, 6, undefined, undefined]);
    expect(steps.map(({ done }) => done)).toEqual([false, false, false, true, true]);
  }));

test('a failing task ends a stream after the earlier outputs, and no input is read after it', () =>
  withPool({ size: 2 }, async (pool) => {
    const inputs = new Endless();
    const { outputs, failure } = await all(pool.stream(inputs, { name: 'failAt3', concurrency: 2 }));
    expect(outputs).toEqual([1, 2]);
    expect(failure).toMatchObject({ name: 'RangeError', message: 'input 3' });
    expect(inputs.returned).toBe(true);
    expect(inputs.asked).toBeLessThanOrEqual(4);
  }));

test('inputs that throw end a stream after the earlier outputs', () =>
  withPool({ size: 2 }, async (pool) => {
    function* inputs(): Generator<number> {
      yield 1;
      yield 2;
      throw new RangeError('no more');
    }
    const { outputs, failure } = await all(pool.stream(inputs(), { name: 'double' }));
    expect(outputs).toEqual([2, 4]);
    expect(failure).toMatchObject({ message: 'no more' });
  }));

test('a stream whose loop is left cancels its tasks and closes its inputs', () =>
  withPool({ abortGrace: Infinity, size: 2 }, async (pool, stage) => {
    const inputs = new Endless();
    for await (const output of pool.stream(inputs, { name: 'spinAfter1', concurrency: 2 })) {
      expect(output).toBe(1);
      await until(() => stage.begun === 2);
      break;
    }
    expect(inputs.returned).toBe(true);
    await until(() => Atomics.load(stage.words, ABORTED) === stage.begun && pool.stats().stopping === 0);
    expect(await pool.run(7)).toBe(7);
    expect(pool.stats()).toMatchObject({ replaced: 0, queued: 0, waiting: 0, running: 0, stopping: 0 });
  }));

test('return() ends the calls of next() that wait, also while the inputs owe an input', () =>
  withPool({}, async (pool) => {
    const stream = pool.stream(stuck());
    expect(await stream.next()).toEqual({ done: false, value: 1 });
    const waiting = [stream.next(), stream.next()];
    await turns(3);
    expect(await settled(stream.return())).toEqual({ done: true, value: undefined });
    expect(await settled(Promise.all(waiting))).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
  }));

test('return() waits for return() of the inputs and rejects with its failure', () =>
  withPool({}, async (pool) => {
    let isClosed = false;
    async function* inputs(): AsyncGenerator<number> {
      try {
        for (let n = 0; ; n++) yield await Promise.resolve(n);
      } finally {
        await turns(3);
        isClosed = true;
        // eslint-disable-next-line no-unsafe-finally
        throw new RangeError('of return');
      }
    }
    const stream = pool.stream(inputs(), { concurrency: 1 });
    await stream.next();
    await until(() => pool.stats().completed === 2);
    await turns(3);
    expect(await failureOf(stream.return())).toMatchObject({ message: 'of return' });
    expect(isClosed).toBe(true);
  }));

test('await using ends a stream', () =>
  withPool({}, async (pool) => {
    const inputs = new Endless();
    {
      await using stream = pool.stream(inputs);
      await stream.next();
    }
    expect(inputs.returned).toBe(true);
  }));

test('an abort ends a stream with the reason, cancels its tasks, and no listener is left', () =>
  withPool({ abortGrace: 1 }, async (pool, stage) => {
    const abort = new AbortController();
    const inputs = new Endless();
    const stream = pool.stream(inputs, { name: 'hold', signal: abort.signal });
    const first = failureOf(stream.next());
    await until(() => stage.begun === 1);
    abort.abort('enough');
    expect(await first).toBe('enough');
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(inputs.returned).toBe(true);
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
    await pool.close();
    expect(pool.stats()).toMatchObject({ completed: 0, queued: 0, running: 0 });
  }));

test('an abort before the next output is requested rejects that request', () =>
  withPool({ abortGrace: 1 }, async (pool) => {
    const abort = new AbortController();
    const stream = pool.stream(new Endless(), { signal: abort.signal });
    await stream.next();
    abort.abort('enough');
    expect(await failureOf(stream.next())).toBe('enough');
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  }));

test('a stream that has ended leaves no listener at its signal', () =>
  withPool({}, async (pool) => {
    const { signal } = new AbortController();
    expect(await all(pool.stream([1, 2], { signal }))).toEqual({ outputs: [1, 2] });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  }));

test('timeout is the limit of each task of a stream', () =>
  withPool({ abortGrace: 1 }, async (pool) => {
    const { outputs, failure } = await all(pool.stream([1, 2], { name: 'never', timeout: 5 }));
    expect(outputs).toEqual([]);
    expect(failure).toMatchObject({ code: 'SLUICE_TIMEOUT' });
  }));

test('the item of a killed worker runs again at its place', () =>
  withPool({ size: 2, name: 'dieFirst' }, async (pool) => {
    const inputs = Array.from({ length: 12 }, (_, n) => ({ n, deaths: n % 3 }));
    expect(await all(pool.stream(inputs, { retry: 2 }))).toEqual({ outputs: inputs.map(({ n }) => n) });
    expect(pool.stats().replaced).toBe(12);
  }));

test('without retry the death of a worker ends a stream at the place of its item', () =>
  withPool({ size: 2, name: 'dieFirst' }, async (pool) => {
    const { outputs, failure } = await all(pool.stream([0, 1, 2].map((n) => ({ n, deaths: n === 2 ? 1 : 0 }))));
    expect(outputs).toEqual([0, 1]);
    expect(failure).toMatchObject({ code: 'SLUICE_WORKER_DIED' });
  }));

test('retry of run() is the number for this task, and the number of the pool is the default', () =>
  withPool({ name: 'dieFirst', retry: 1 }, async (pool) => {
    expect(await failureOf(pool.run({ n: 0, deaths: 2 }))).toMatchObject({ code: 'SLUICE_WORKER_DIED' });
    expect(await pool.run({ n: 1, deaths: 2 }, { retry: 2 })).toBe(1);
    expect(await failureOf(pool.run({ n: 2, deaths: 1 }, { retry: 0 }))).toMatchObject({ code: 'SLUICE_WORKER_DIED' });
  }));

test.each(['destroy', 'close'] as const)('%s ends a stream that waits for its next input', (end) =>
  withPool({}, async (pool) => {
    const stream = pool.stream(stuck());
    expect(await stream.next()).toEqual({ done: false, value: 1 });
    const next = failureOf(stream.next());
    await pool[end]();
    expect(await settled(next)).toMatchObject({ code: 'SLUICE_POOL_CLOSED' });
  }),
);

test('a stream whose last task was accepted before close() gives all outputs', () =>
  withPool({ name: 'hold' }, async (pool, stage) => {
    const stream = pool.stream([1, 2, 3], { concurrency: 3 });
    const rest = all(stream);
    await until(() => stage.begun === 1);
    const closed = pool.close();
    stage.open();
    expect(await settled(rest)).toEqual({ outputs: [1, 2, 3] });
    await closed;
  }));

test('a stream with inputs left gives the accepted outputs after close(), and then rejects', () =>
  withPool({ name: 'hold' }, async (pool, stage) => {
    const rest = all(pool.stream(new Endless(), { concurrency: 3 }));
    await until(() => stage.begun === 1);
    const closed = pool.close();
    stage.open();
    const { outputs, failure } = await settled(rest);
    expect(outputs).toEqual([1, 2, 3]);
    expect(failure).toMatchObject({ code: 'SLUICE_POOL_CLOSED' });
    await closed;
  }));

test('a stream in a pool that was closed before its first iteration rejects, and reads no input', () =>
  withPool({}, async (pool) => {
    const inputs = new Endless();
    const stream = pool.stream(inputs);
    await pool.close();
    expect(await failureOf(stream.next())).toMatchObject({ code: 'SLUICE_POOL_CLOSED' });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(inputs.asked).toBe(0);
    expect(() => pool.stream(inputs)).toThrow(PoolClosedError);
  }));

test('an input whose getter ends the stream while it is cloned starts no task', () =>
  withPool({}, async (pool) => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const input = {
      get value(): number {
        controller.abort(reason);
        return 1;
      },
    };
    expect(await all(pool.stream([input, 2], { signal: controller.signal }))).toEqual({ outputs: [], failure: reason });
    await until(() => pool.stats().running === 0 && pool.stats().queued === 0);
    expect(pool.stats().completed).toBe(0);
  }));

test('inputs whose step is no object end a stream with a TypeError', () =>
  withPool({}, async (pool) => {
    const inputs = { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(null) }) };
    const { outputs, failure } = await all(pool.stream(inputs as never));
    expect(outputs).toEqual([]);
    expect(failure).toBeInstanceOf(TypeError);
  }));

test('a stream that is dropped in the middle causes no unhandled rejection', () =>
  withPool({ size: 2 }, async (pool) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): number => unhandled.push(reason);
    process.on('unhandledRejection', note);
    try {
      const stream = pool.stream(new Endless(), { name: 'failAt3', concurrency: 4 });
      expect((await stream.next()).value).toBe(1);
      await until(() => pool.stats().failed > 0);
      await turns(5);
    } finally {
      process.off('unhandledRejection', note);
    }
    expect(unhandled).toEqual([]);
  }));

const WRONG: readonly (readonly [options: unknown, error: typeof TypeError | typeof RangeError])[] = [
  ...[null, 5, 'text'].map((options) => [options, TypeError] as const),
  ...[0, -1, 1.5, NaN, Infinity, 2 ** 16 + 1].map((concurrency) => [{ concurrency }, RangeError] as const),
  [{ concurrency: '2' }, TypeError],
  ...[null, 1, 'yes'].map((ordered) => [{ ordered }, TypeError] as const),
  ...[-1, 0.5, 2 ** 16 + 1].map((retry) => [{ retry }, RangeError] as const),
  [{ retry: '1' }, TypeError],
  [{ timeout: -1 }, RangeError],
  [{ priority: '5' }, TypeError],
  [{ signal: {} }, TypeError],
  [{ name: '' }, TypeError],
  ...['transferList', 'order', 'highWaterMark', 'limit'].map((name) => [{ [name]: [] }, TypeError] as const),
];

test('stream() throws a typed error for invalid options and inputs, and no input is read', () =>
  withPool({}, async (pool) => {
    const inputs = new Endless();
    for (const [options, error] of WRONG)
      expect(() => pool.stream(inputs, options as never), JSON.stringify(options)).toThrow(error);
    for (const wrong of [undefined, null, 3, {}])
      expect(() => pool.stream(wrong as never)).toThrow(
        /^The inputs must be an iterable or an async iterable: received /,
      );
    const signal = AbortSignal.abort(new RangeError('before'));
    expect(() => pool.stream(inputs, { signal })).toThrow('before');
    await turn();
    expect(inputs.asked).toBe(0);
    expect(pool.stats()).toMatchObject({ completed: 0, failed: 0, queued: 0, waiting: 0, running: 0 });
  }));
