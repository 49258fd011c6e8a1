// Tests that `run` refuses async bodies: it releases when its body returns, and an async body returns at its first
// `await`.

import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { rejection, turn } from '../../conformance/src/observe.ts';
import { call, look, methodsOf, SAMPLES } from './samples.ts';
import { withoutAges } from '../../../packages/core/test/support/without-ages.ts';

/**
 * A limit's `run` is its async form, so it takes async functions. Rate limiters release nothing after their bodies.
 */
const ASYNC_RUN = ['createLimit()', 'RateLimiter', 'KeyRate'];

/**
 * Runs a body once only, returns nothing, and counts one that failed: `packages/event/test/once.test.ts` has these
 * calls.
 */
const RUNS_ONCE = ['Once'];

/** Take a key before the body. The object of one key, which has a sample of its own, has the same `run`. */
const KEYED = ['KeyedMutex', 'KeyedLimit', 'KeyedRateLimiter'];

const RUNNERS = SAMPLES.filter(
  ({ name, make }) => ![...ASYNC_RUN, ...KEYED].includes(name) && methodsOf(make()).includes('run'),
);
/** Bodies of these classes may run repeatedly. */
const REPEATED = RUNNERS.filter(({ name }) => !RUNS_ONCE.includes(name));
const ASYNC_RUNNERS = SAMPLES.filter(
  ({ name, make }) => methodsOf(make()).includes('runAsync') && ![...RUNS_ONCE, ...KEYED].includes(name),
);

let called = 0;

const DEFERRED: readonly (readonly [what: string, body: () => unknown])[] = [
  ['an async function', async () => Promise.resolve((called += 1))],
  ['an async method', { run: async () => Promise.resolve((called += 1)) }.run],
  ['an async function of another realm', runInNewContext('async () => {}') as () => unknown],
  [
    'a generator function',
    function* () {
      yield (called += 1);
    },
  ],
  [
    'an async generator function',
    async function* () {
      yield await Promise.resolve((called += 1));
    },
  ],
];

afterEach(() => {
  vi.restoreAllMocks();
  expect(called).toBe(0);
});

describe('run', () => {
  test('is tested for every class that has it', () => {
    expect(RUNNERS.length).toBeGreaterThan(20);
  });

  test.each(RUNNERS.flatMap(({ name, make }) => DEFERRED.map(([what, body]) => ({ name, make, what, body }))))(
    'run() of $name throws for $what before it takes anything',
    ({ make, body, what }) => {
      const instance = make();
      const before = look(instance);
      expect(() => call(instance, 'run', body)).toThrow(
        expect.objectContaining({
          code: 'SLUICE_MISUSE',
          message: expect.stringContaining(what.includes('generator') ? 'generator' : 'Use runAsync.') as string,
        }),
      );
      expect(withoutAges(look(instance))).toEqual(withoutAges(before));
    },
  );

  test.each(REPEATED)(
    'run() of $name throws a MisuseError after the release if the body returns a promise',
    async ({ make }) => {
      const report = vi.spyOn(console, 'error').mockImplementation(() => undefined);
      const unhandled = vi.fn();
      process.on('unhandledRejection', unhandled);
      const instance = make();
      const before = look(instance);
      const reason = new Error('inside');
      const promise = Promise.reject(reason);
      const failure = caught(() => call(instance, 'run', () => promise));
      expect(failure).toMatchObject({ code: 'SLUICE_MISUSE', cause: promise });
      expect((failure as Error).message).toContain('Use runAsync.');
      expect(withoutAges(look(instance))).toEqual(withoutAges(before));
      await turn();
      process.off('unhandledRejection', unhandled);
      expect([unhandled.mock.calls.length, report.mock.calls.length]).toEqual([0, 1]);
      expect(report.mock.calls[0]?.[1]).toBe(reason);
      expect(await rejection(promise)).toBe(reason);
    },
  );

  test.each(RUNNERS)('run() of $name throws for any thenable, and does not call its then()', ({ make }) => {
    const then = vi.fn();
    const thenable = { then };
    expect(caught(() => call(make(), 'run', () => thenable))).toMatchObject({ code: 'SLUICE_MISUSE', cause: thenable });
    expect(then).not.toHaveBeenCalled();
  });

  test.each(REPEATED)('run() of $name returns any other result unchanged', ({ make }) => {
    const instance = make();
    const promise = Promise.resolve(1);
    for (const value of [undefined, null, 0, 'then', { then: 1 }, { promise }, [promise]]) {
      expect(call(instance, 'run', () => value)).toBe(value);
    }
  });
});

describe('runAsync', () => {
  test.each(ASYNC_RUNNERS)(
    'runAsync() of $name takes an async function, and throws for a generator function',
    async ({ make }) => {
      const instance = make();
      const before = look(instance);
      expect(await call(instance, 'runAsync', async () => Promise.resolve(7))).toBe(7);
      for (const [what, body] of DEFERRED.filter(([name]) => name.includes('generator'))) {
        const failure = await rejection(call(instance, 'runAsync', body) as Promise<unknown>);
        expect(failure).toMatchObject({ code: 'SLUICE_MISUSE' });
        expect((failure as Error).message).toContain(what);
      }
      expect(withoutAges(look(instance))).toEqual(withoutAges(before));
    },
  );
});

function caught(act: () => unknown): unknown {
  try {
    act();
  } catch (failure) {
    return failure;
  }
  throw new Error('No error was thrown.');
}
