// Tests that reports of `inspect` are plain data, which can become JSON and be posted. Covers every kind of primitive,
// with a holder and a waiter where it has them.

import { Space } from '@sluice/redis';
import { describe, expect, test } from 'vitest';
import { onServer, until } from './support/server.ts';

interface Inspectable {
  inspect(): Promise<object>;
}

interface Row {
  /** The method of `Space` that creates it. */
  readonly of: string;
  readonly what: string;
  readonly make: (space: Space) => Inspectable;
  /** Makes a state to report. `space` has created the primitive, and `other` creates its own instance. */
  readonly use: (space: Space, other: Space) => Promise<unknown>;
  /** Parts of the report that show the effect of `use`. */
  readonly shows: object;
}

const ONE = [expect.anything()];
const NEVER = new Promise<never>(() => undefined);

/** A call that stays pending until its space is closed. */
function pending(call: Promise<unknown>): void {
  call.catch(() => undefined);
}

const ROWS: readonly Row[] = [
  {
    of: 'semaphore',
    what: 'a semaphore',
    make: (space) => space.semaphore('s', 3),
    use: async (space, other) => {
      await space.semaphore('s', 3).acquireAsync(2);
      pending(other.semaphore('s', 3).acquireAsync(2));
    },
    shows: { permits: 3, available: 1, holders: ONE, waiters: ONE },
  },
  {
    of: 'semaphore',
    what: 'a signal',
    make: (space) => space.semaphore('n', 0, { recovery: false }),
    use: (space) => space.semaphore('n', 0, { recovery: false }).release(2),
    shows: { available: 2 },
  },
  {
    of: 'mutex',
    what: 'a mutex',
    make: (space) => space.mutex('m'),
    use: async (space, other) => {
      await space.mutex('m').lockAsync();
      pending(other.mutex('m').lockAsync());
    },
    shows: { holders: ONE, waiters: ONE },
  },
  {
    of: 'capacitor',
    what: 'a capacitor',
    make: (space) => space.capacitor('c'),
    use: async (space, other) => {
      await space.capacitor('c').lockAsync();
      pending(other.capacitor('c').lockAsync());
    },
    shows: { holders: ONE, waiters: ONE },
  },
  {
    of: 'rwLock',
    what: 'a reader',
    make: (space) => space.rwLock('r').reader,
    use: (space) => space.rwLock('r').reader.lockAsync(),
    shows: { holders: ONE },
  },
  {
    of: 'rwLock',
    what: 'a writer',
    make: (space) => space.rwLock('w').writer,
    use: async (space, other) => {
      await space.rwLock('w').writer.lockAsync();
      pending(other.rwLock('w').writer.lockAsync());
    },
    shows: { holders: ONE, waiters: ONE },
  },
  {
    of: 'limit',
    what: 'a limit',
    make: (space) => space.limit('l', { concurrency: 1, interval: 1_000_000 }),
    use: (space, other) => {
      const options = { concurrency: 1, interval: 1_000_000 };
      pending(space.limit('l', options)(() => NEVER));
      pending(other.limit('l', options)(() => NEVER));
      return Promise.resolve();
    },
    shows: { holders: ONE, waiters: ONE },
  },
  {
    of: 'keyedMutex',
    what: 'a keyed mutex',
    make: (space) => space.keyedMutex('k'),
    use: async (space, other) => {
      await space.keyedMutex('k').lockAsync('a');
      pending(other.keyedMutex('k').lockAsync('a'));
    },
    shows: { kind: 'keyed-mutex', keys: [expect.objectContaining({ key: 'a' })] },
  },
  {
    of: 'rateLimiter',
    what: 'a rate limiter',
    make: (space) => space.rateLimiter('t', { permits: 1, interval: 1_000_000 }),
    use: async (space, other) => {
      const options = { permits: 1, interval: 1_000_000 };
      await space.rateLimiter('t', options).acquireAsync();
      pending(other.rateLimiter('t', options).acquireAsync());
    },
    shows: { available: 0, waiters: ONE },
  },
  {
    of: 'once',
    what: 'a once',
    make: (space) => space.once('o'),
    use: (space, other) => {
      pending(space.once('o').runAsync(() => NEVER));
      pending(other.once('o').waitAsync());
      return Promise.resolve();
    },
    shows: { kind: 'once', state: 'running', waiters: ONE },
  },
  {
    of: 'lazy',
    what: 'a lazy',
    make: (space) => space.lazy('z'),
    use: (space, other) => {
      pending(space.lazy('z').getAsync(() => NEVER));
      pending(other.lazy('z').waitAsync());
      return Promise.resolve();
    },
    shows: { kind: 'lazy', state: 'running', waiters: ONE },
  },
  {
    of: 'keyedLimit',
    what: 'a keyed limit',
    make: (space) => space.keyedLimit('n', { concurrency: 1 }),
    use: async (space, other) => {
      await space.keyedLimit('n', { concurrency: 1 }).holdAsync('a');
      pending(other.keyedLimit('n', { concurrency: 1 }).holdAsync('a'));
    },
    shows: { running: 1, keys: [{ key: 'a', waiters: ONE }] },
  },
  {
    of: 'keyedRateLimiter',
    what: 'a keyed rate limiter',
    make: (space) => space.keyedRateLimiter('y', { permits: 1, interval: 3_600_000 }),
    use: async (space, other) => {
      await space.keyedRateLimiter('y', { permits: 1, interval: 3_600_000 }).acquireAsync('a');
      pending(other.keyedRateLimiter('y', { permits: 1, interval: 3_600_000 }).acquireAsync('a'));
    },
    shows: { keys: [{ key: 'a', waiting: 1 }] },
  },
  {
    of: 'cache',
    what: 'a cache',
    make: (space) => space.cache('v'),
    use: (space, other) => {
      pending(space.cache('v').getAsync('a', () => NEVER));
      pending(other.cache('v').getAsync('a', () => NEVER));
      return Promise.resolve();
    },
    shows: { kind: 'cache', computing: [{ key: 'a', waiting: 1 }] },
  },
  {
    of: 'countdownLatch',
    what: 'a countdown latch',
    make: (space) => space.countdownLatch('d', 2),
    use: async (space, other) => {
      await space.countdownLatch('d', 2).claim();
      pending(other.countdownLatch('d', 2).waitAsync());
    },
    shows: { count: 2, waiters: ONE },
  },
  {
    of: 'barrier',
    what: 'a barrier',
    make: (space) => space.barrier('b', 2),
    use: async (space, other) => {
      await space.barrier('b', 2).register();
      pending(other.barrier('b', 2).waitAsync());
    },
    shows: { parties: 3, waiters: ONE },
  },
];

/** Methods of a space whose results have no report, or that create nothing. */
const OTHERS = [
  'constructor',
  'bridge',
  'close',
  'session',
  'inSession',
  'ask',
  'look',
  'shut',
  'resize',
  'report',
  'leader',
  'cronCoordinator',
  'holdAllAsync',
  'tryHoldAll',
  'runAllAsync',
];

describe('the table of reports', () => {
  test('has every kind of primitive that a space makes', () => {
    const made = Object.getOwnPropertyNames(Space.prototype).filter((name) => !OTHERS.includes(name));
    expect([...new Set(ROWS.map((row) => row.of))].sort()).toEqual(made.sort());
  });
});

onServer('a report of inspect() becomes JSON and back, and can be cloned, of', (it) => {
  for (const { what, make, use, shows } of ROWS) {
    it(what, async (here) => {
      const [space, other] = [await here.open({ lease: 10_000 }), await here.open({ lease: 10_000 })];
      const made = make(space);
      const check = async (): Promise<object> => {
        const report = await made.inspect();
        // No member is Infinity or a bigint. JSON leaves out members that are undefined.
        expect(JSON.parse(JSON.stringify(report))).toEqual(report);
        expect(structuredClone(report)).toStrictEqual(report);
        return report;
      };
      await check();
      await use(space, other);
      await until('the report shows the effect of use()', async () => matches(await made.inspect(), shows));
      expect(await check()).toMatchObject(shows);
    });
  }

  it('only a bridge has no report', async (here) => {
    const space = await here.open();
    const bridge = space.bridge(space.semaphore('s', 1));
    expect('inspect' in bridge).toBe(false);
    await bridge.close();
  });
});

function matches(report: object, shows: object): boolean {
  try {
    expect(report).toMatchObject(shows);
    return true;
  } catch {
    return false;
  }
}
