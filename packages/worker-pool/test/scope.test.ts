import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { turn } from '../../core/test/support/turn.ts';
import { ABORTED } from './jobs/words.mjs';
import { failureOf, settled, until, withPool, type AnyPool } from './support/pool.ts';

type Scope = Parameters<Parameters<AnyPool['scope']>[0]>[0];

/** Records the unhandled rejections while `body` runs. */
async function unhandledIn(body: () => Promise<unknown>): Promise<unknown[]> {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): number => unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    await body();
    for (let n = 0; n < 3; n++) await turn();
  } finally {
    process.off('unhandledRejection', note);
  }
  return unhandled;
}

test('scope() resolves with what its callback returns', () =>
  withPool({ size: 2, name: 'double' }, async (pool) => {
    expect(await pool.scope((scope) => Promise.all([1, 2, 3].map((n) => scope.run(n))))).toEqual([2, 4, 6]);
    expect(await pool.scope(() => 'no task')).toBe('no task');
  }));

test('a task that rejects cancels the others, and the scope rejects with its error', () =>
  withPool({ size: 2, abortGrace: Infinity }, async (pool, stage) => {
    const others: Promise<unknown>[] = [];
    const scope = pool.scope(async (inner) => {
      others.push(failureOf(inner.run(1, { name: 'spin' })));
      await until(() => stage.begun === 1);
      others.push(failureOf(inner.run(3, { name: 'failAt3' })));
      await others[1];
      expect(inner.signal.reason).toMatchObject({ message: 'input 3' });
      others.push(failureOf(inner.run(4, { name: 'hold' })));
      return 'unused';
    });
    const failure = await failureOf(scope);
    expect(failure).toMatchObject({ name: 'RangeError', message: 'input 3' });
    for (const other of others) expect(await other).toBe(failure);
    // The first task saw its abort and had ended when the scope did. The last never began.
    expect([Atomics.load(stage.words, ABORTED), stage.order]).toEqual([1, [1]]);
    expect(pool.stats()).toMatchObject({ running: 0, stopping: 0, queued: 0, replaced: 0 });
  }));

test('a scope does not end before a cancelled task has ended in its worker', () =>
  withPool({ abortGrace: Infinity, name: 'hold' }, async (pool, stage) => {
    let hasEnded = false;
    const scope = pool.scope(async (inner) => {
      void inner.run(1);
      await until(() => stage.begun === 1);
      return 'done';
    });
    void scope.then(() => (hasEnded = true));
    await until(() => pool.stats().stopping === 1);
    for (let turns = 0; turns < 20; turns++) await turn();
    expect(hasEnded).toBe(false);
    stage.open();
    expect(await scope).toBe('done');
    expect([stage.ended, pool.stats().stopping]).toEqual([1, 0]);
  }));

test('a scope waits for the end of a worker that a cancelled task would block', () =>
  withPool({ abortGrace: 1, name: 'hang' }, async (pool, stage) => {
    await pool.scope(async (inner) => {
      void inner.run(1);
      await until(() => stage.begun === 1);
    });
    expect(pool.stats()).toMatchObject({ replaced: 1, stopping: 0, running: 0 });
  }));

test('tasks that are left when the callback returns are cancelled, without an unhandled rejection', () =>
  withPool({ size: 1, abortGrace: 1 }, async (pool, stage) => {
    let left: Promise<unknown> | undefined;
    const unhandled = await unhandledIn(async () => {
      const first = await pool.scope((scope) => {
        const race = Promise.race([scope.run(7), scope.run(1, { name: 'hold' })]);
        left = failureOf(scope.run(2, { name: 'hold' }));
        void scope.run(3, { name: 'hold' });
        return race;
      });
      expect(first).toBe(7);
    });
    expect(unhandled).toEqual([]);
    expect(await left).toMatchObject({ name: 'AbortError', message: 'The scope of this task has ended.' });
    expect(stage.ended).toBe(0);
  }));

test('a failure that the callback does not await fails the scope, without an unhandled rejection', () =>
  withPool({}, async (pool) => {
    const unhandled = await unhandledIn(async () => {
      const scope = pool.scope(async (inner) => {
        void inner.run(3, { name: 'failAt3' });
        void inner.run(1, { timeout: -1 });
        await new Promise((resolve) => inner.signal.addEventListener('abort', resolve));
        void inner.run(5);
      });
      expect(await failureOf(scope)).toBeInstanceOf(RangeError);
    });
    expect(unhandled).toEqual([]);
  }));

test.each([
  ['throws', () => Promise.reject(new RangeError('of the callback'))],
  [
    'throws at once',
    () => {
      throw new RangeError('of the callback');
    },
  ],
])('a callback that %s cancels the tasks, and the scope rejects with its error', (_, fails) =>
  withPool({ abortGrace: 1 }, async (pool) => {
    let task: Promise<unknown> | undefined;
    const scope = pool.scope((inner): unknown => {
      task = failureOf(inner.run(1, { name: 'never' }));
      return fails();
    });
    const failure = await failureOf(scope);
    expect(failure).toMatchObject({ message: 'of the callback' });
    expect(await task).toBe(failure);
  }),
);

test('a task that the callback catches still fails the scope', () =>
  withPool({}, async (pool) => {
    const scope = pool.scope(async (inner) => {
      await failureOf(inner.run(3, { name: 'failAt3' }));
      return failureOf(inner.run(1));
    });
    expect(await failureOf(scope)).toMatchObject({ message: 'input 3' });
  }));

test('with cancelOnFailure false the callback handles failures, and the first success may win', () =>
  withPool({ size: 2, abortGrace: 1 }, async (pool, stage) => {
    const unhandled = await unhandledIn(async () => {
      const any = pool.scope(
        (scope) => Promise.any([scope.run(3, { name: 'failAt3' }), scope.run(2), scope.run(1, { name: 'never' })]),
        { cancelOnFailure: false },
      );
      expect(await any).toBe(2);
      const all = pool.scope((scope) => Promise.allSettled([scope.run(3, { name: 'failAt3' }), scope.run(2)]), {
        cancelOnFailure: false,
      });
      expect(await all).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 2 }]);
    });
    expect(unhandled).toEqual([]);
    expect(stage.ended).toBe(0);
  }));

test('with cancelOnFailure false the tasks that are left cause no unhandled rejection', () =>
  withPool({ abortGrace: 1 }, async (pool) => {
    const unhandled = await unhandledIn(() =>
      pool.scope(
        (scope) => {
          void scope.run(1, { name: 'never' });
          void scope.scope((inner) => inner.run(2, { name: 'never' }));
        },
        { cancelOnFailure: false },
      ),
    );
    expect(unhandled).toEqual([]);
  }));

test('an inner scope whose callback aborts the outer one is cancelled', () =>
  withPool({ abortGrace: 1 }, async (pool) => {
    const abort = new AbortController();
    const scope = pool.scope(
      (outer) =>
        outer.scope((inner) => {
          abort.abort('enough');
          return inner.run(1, { name: 'never' });
        }),
      { signal: abort.signal },
    );
    expect(await failureOf(scope)).toBe('enough');
  }));

test('the timeout cancels a scope and its tasks with TimeoutError', () =>
  withPool({ abortGrace: 1 }, async (pool) => {
    const scope = pool.scope((inner) => inner.run(1, { name: 'never' }), { timeout: 5 });
    expect(await failureOf(scope)).toMatchObject({
      code: 'SLUICE_TIMEOUT',
      message: 'The scope was not done within 5 ms: 1 of its tasks had not ended.',
    });
  }));

test('an abort cancels a scope and its tasks with the reason, and no listener is left', () =>
  withPool({ abortGrace: 1 }, async (pool, stage) => {
    const abort = new AbortController();
    const scope = pool.scope((inner) => inner.run(1, { name: 'never' }), { signal: abort.signal });
    await until(() => stage.begun === 1);
    abort.abort('enough');
    expect(await failureOf(scope)).toBe('enough');
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  }));

test('the deadline of an outer scope holds in an inner one with a later deadline', () =>
  withPool({ abortGrace: 1 }, async (pool) => {
    const reasons: unknown[] = [];
    const scope = pool.scope(
      (outer) =>
        outer.scope(
          async (inner) => {
            inner.signal.addEventListener('abort', () => reasons.push(inner.signal.reason));
            return inner.run(1, { name: 'never', timeout: 200_000 });
          },
          { timeout: 100_000 },
        ),
      { timeout: 5 },
    );
    const failure = await failureOf(scope);
    expect(failure).toMatchObject({ code: 'SLUICE_TIMEOUT', message: expect.stringContaining('5 ms') as string });
    expect(reasons).toEqual([failure]);
  }));

test('an inner scope that rejects cancels the outer one', () =>
  withPool({ size: 2, abortGrace: 1 }, async (pool) => {
    const scope = pool.scope(async (outer) => {
      const other = outer.run(1, { name: 'never' });
      void outer.scope((inner) => inner.run(3, { name: 'failAt3' }));
      return other;
    });
    expect(await failureOf(scope)).toMatchObject({ message: 'input 3' });
  }));

test('an inner scope that ends leaves the tasks of the outer one alone', () =>
  withPool({ size: 2, name: 'hold', abortGrace: 1 }, async (pool, stage) => {
    const result = await pool.scope(async (outer) => {
      const long = outer.run(1);
      await until(() => stage.begun === 1);
      await outer.scope((inner) => {
        void inner.run(2);
        return 0;
      });
      stage.open();
      return long;
    });
    expect(result).toBe(1);
  }));

test('an outer scope does not end before its inner scopes', () =>
  withPool({}, async (pool) => {
    let finish: (() => void) | undefined;
    let hasEnded = false;
    const scope = pool.scope((outer) => {
      void outer.scope(() => new Promise<void>((resolve) => (finish = resolve)));
      return 1;
    });
    void scope.then(() => (hasEnded = true));
    for (let turns = 0; turns < 5; turns++) await turn();
    expect(hasEnded).toBe(false);
    finish?.();
    expect(await scope).toBe(1);
  }));

test('a killed worker runs the task of a scope again if it has retries left', () =>
  withPool({ name: 'dieFirst', size: 2 }, async (pool) => {
    const inputs = [0, 1, 2].map((n) => ({ n, deaths: n }));
    expect(await pool.scope((scope) => Promise.all(inputs.map((n) => scope.run(n, { retry: 2 }))))).toEqual([0, 1, 2]);
    const scope = pool.scope((inner) => inner.run({ n: 9, deaths: 1 }));
    expect(await failureOf(scope)).toMatchObject({ code: 'SLUICE_WORKER_DIED' });
  }));

test.each(['destroy', 'close'] as const)('%s during a scope: the scope rejects, and nothing hangs', (end) =>
  withPool({ name: 'hold' }, async (pool, stage) => {
    const scope = failureOf(
      pool.scope(async (inner) => {
        const first = inner.run(1);
        await until(() => stage.begun === 1);
        const ended = pool[end]();
        stage.open();
        await failureOf(inner.run(2));
        await ended;
        return first;
      }),
    );
    expect(await settled(scope)).toMatchObject({ code: 'SLUICE_POOL_CLOSED' });
  }),
);

test('a scope that has ended refuses tasks and scopes', () =>
  withPool({}, async (pool) => {
    let kept: Scope | undefined;
    await pool.scope((scope) => {
      kept = scope;
    });
    const wrong = { code: 'SLUICE_MISUSE', message: 'The scope has ended: its callback has settled.' };
    expect(await failureOf(kept?.run(1))).toMatchObject(wrong);
    expect(await failureOf(kept?.scope(() => 1))).toMatchObject(wrong);
    expect(kept?.signal.aborted).toBe(true);
    expect(pool.stats().completed).toBe(0);
  }));

const WRONG: readonly (readonly [options: unknown, error: typeof TypeError | typeof RangeError])[] = [
  ...[null, 5, 'text'].map((options) => [options, TypeError] as const),
  ...[-1, NaN].map((timeout) => [{ timeout }, RangeError] as const),
  [{ timeout: '5' }, TypeError],
  [{ signal: {} }, TypeError],
  ...[null, 0, 'yes'].map((cancelOnFailure) => [{ cancelOnFailure }, TypeError] as const),
  ...['name', 'retry', 'deadline', 'failFast'].map((name) => [{ [name]: 5 }, TypeError] as const),
];

test('scope() rejects with a typed error for invalid options, and its callback is not called', () =>
  withPool({}, async (pool) => {
    let calls = 0;
    const callback = (): number => (calls += 1);
    for (const [options, error] of WRONG)
      expect(await failureOf(pool.scope(callback, options as never)), JSON.stringify(options)).toBeInstanceOf(error);
    for (const wrong of [undefined, null, 5, {}])
      expect(await failureOf(pool.scope(wrong as never))).toMatchObject({
        name: 'TypeError',
        message: expect.stringMatching(/^The callback must be a function: received /) as string,
      });
    expect(await failureOf(pool.scope(callback, { signal: AbortSignal.abort('before') }))).toBe('before');
    await pool.close();
    expect(await failureOf(pool.scope(callback))).toMatchObject({ code: 'SLUICE_POOL_CLOSED' });
    expect(calls).toBe(0);
  }));
