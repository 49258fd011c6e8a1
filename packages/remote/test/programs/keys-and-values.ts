// Limits and rates of keys, and caches. The engines' tests run these programs. That of the rates also runs in memory.

import { hasCode, type WaitOptions } from '@sluice/core';
import type { Space } from '../../src/index.ts';
import { failureOf } from './failure-of.ts';

/** A promise that a test resolves. */
interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

function gate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds()));
}

/** Waits until as many processes wait for a key of the cache. */
async function untilWaiting(space: Space, name: string, waiting: number): Promise<void> {
  await until(async () => {
    const { computing } = await space.cache(name).inspect();
    return computing.some((key) => key.waiting === waiting);
  });
}

/** 64 calls in two processes miss one key. Returns the values, how often the function ran, and how often calls missed. */
export async function storm(first: Space, second: Space): Promise<unknown[]> {
  const caches = [first.cache<string>('storm'), second.cache<string>('storm')];
  const { opened, open } = gate();
  let ran = 0;
  const load = async (key: string): Promise<string> => {
    ran++;
    await opened;
    return `value of ${key}`;
  };
  const all = Promise.all(caches.flatMap((cache) => Array.from({ length: 32 }, () => cache.getAsync('a', load))));
  await untilWaiting(first, 'storm', 1);
  open();
  const values = new Set(await all);
  const counts = caches.map((cache) => cache.statistics());
  return [[...values], ran, counts.reduce((sum, { hits, misses }) => sum + hits + misses, 0)];
}

export const STORM = [['value of a'], 1, 64];

/** A function fails while another process waits, which then computes. Returns how the calls ended. */
export async function failure(first: Space, second: Space): Promise<unknown[]> {
  const [here, there] = [first.cache<number>('failure'), second.cache<number>('failure')];
  const { opened, open } = gate();
  const failing = async (): Promise<number> => {
    await opened;
    throw new Error('no database');
  };
  const calls = [here.getAsync('a', failing), here.getAsync('a', failing)];
  await until(async () => (await here.inspect()).computing.length === 1);
  const other = there.getAsync('a', () => 7);
  await untilWaiting(second, 'failure', 1);
  open();
  const [one, two] = await Promise.all(calls.map((call) => failureOf(call)));
  return [one?.message, one === two, await other, await here.peek('a'), here.statistics().failed];
}

export const FAILURE = ['no database', true, 7, 7, 1];

/** What a change during a computation does to it. Returns what each of the calls got, and what stayed. */
export async function change(
  first: Space,
  second: Space,
  changes: 'set' | 'delete' | 'clear',
): Promise<readonly unknown[]> {
  const name = `changes: ${changes}`;
  const [here, there] = [first.cache<string>(name), second.cache<string>(name)];
  const { opened, open } = gate();
  const old = here.getAsync('a', async () => {
    await opened;
    return 'old';
  });
  await until(async () => (await there.inspect()).computing.length === 1);
  if (changes === 'set') await there.set('a', 'set');
  else if (changes === 'delete') await there.delete('a');
  else await there.clear();
  // A caller that comes after the change, in the process that still computes.
  const late = here.getAsync('a', () => 'late');
  const elsewhere = changes === 'clear' ? undefined : await there.getAsync('a', () => 'new');
  open();
  return [await old, elsewhere ?? (await late), await late, await there.peek('a')];
}

export const CHANGES = {
  set: ['old', 'set', 'set', 'set'],
  delete: ['old', 'new', 'new', 'new'],
  clear: ['old', 'late', 'late', 'late'],
} as const;

/** The space of the caller that computes is closed. Returns what the waiter got, and how the first call ended. */
export async function successor(first: Space, second: Space): Promise<unknown[]> {
  const [here, there] = [first.cache<string>('successor'), second.cache<string>('successor')];
  const { opened, open } = gate();
  const lost = here.getAsync('a', async () => {
    await opened;
    return 'lost';
  });
  await until(async () => (await there.inspect()).computing.length === 1);
  const next = there.getAsync('a', () => 'next');
  await untilWaiting(second, 'successor', 1);
  await first.close();
  const value = await next;
  open();
  return [value, await lost, await there.peek('a')];
}

export const SUCCESSOR = ['next', 'lost', 'next'];

/**
 * Functions that ask for the value that they compute, through one cache object and through two. Returns how the calls
 * ended, the value that a function with a stale value gets, and what a later call computes.
 */
export async function ownValue(space: Space): Promise<unknown[]> {
  const [cache, other] = [space.cache<string>('own'), space.cache<string>('own')];
  const never = (): string => 'never';
  const asks: readonly (() => Promise<unknown>)[] = [
    () => cache.getAsync('a', () => cache.getAsync('a', never)),
    () => cache.getAsync('a', () => other.getAsync('a', never)),
    () => cache.tryGet('a', () => cache.getAsync('a', never)),
    () => cache.tryGet('a', () => other.tryGet('a', never, Infinity) as Promise<string>),
    () => cache.getAsync('a', async () => `computed beside ${String(await cache.tryGet('a', never))}`),
  ];
  const ended: unknown[] = [];
  for (const ask of asks) {
    try {
      ended.push(await ask());
    } catch (failure) {
      ended.push(hasCode(failure, 'SLUICE_DEADLOCK'));
    }
  }
  const stale = space.cache<string>('own, stale', { ttl: 1, staleFor: 1_000_000 });
  await stale.set('a', 'old');
  let seen: string | undefined;
  await until(async () => {
    await stale.getAsync('a', async (key) => {
      seen = await stale.getAsync(key, never);
      return 'new';
    });
    return (await stale.peek('a')) === 'new';
  });
  return [...ended, seen, await cache.getAsync('b', () => 'later')];
}

export const OWN_VALUE = [true, true, true, true, 'computed beside undefined', 'old', 'later'];

/** A stale value is returned while its successor is computed. Returns the values in the order in which they came. */
export async function stale(first: Space, second: Space): Promise<unknown[]> {
  const options = { ttl: 1, staleFor: 1_000_000, codec: 'int32' } as const;
  const [here, there] = [first.cache('stale', options), second.cache('stale', options)];
  const { opened, open } = gate();
  let ran = 0;
  const load = async (): Promise<number> => {
    const version = ++ran;
    if (version > 1) await opened;
    return version;
  };
  const seen = [await here.getAsync('a', load)];
  // The value becomes stale after a moment.
  await until(async () => {
    seen.push(await there.getAsync('a', load));
    return ran === 2;
  });
  seen.push(await here.getAsync('a', load), await there.getAsync('a', load));
  const before = [...new Set(seen), ran];
  open();
  await until(async () => (await here.peek('a')) === 2);
  return before;
}

export const STALE = [1, 2];

/** Values of each codec, keys that look alike, and values that leave. */
export async function values(space: Space): Promise<unknown[]> {
  const bytes = space.cache('bytes', { codec: 'bytes' });
  const all = Uint8Array.from({ length: 256 }, (_, n) => n);
  await bytes.set('all', all);
  const copy = await bytes.peek('all');
  const floats = space.cache('floats', { codec: 'float64' });
  await floats.set('a', 0.1);
  const cache = space.cache<unknown>('values');
  const computed = await cache.getAsync(new Uint8Array([97]), (key) => ({ key: [...key] }));
  await cache.set('', { text: '"\n\u0000é😀' });
  await cache.set('short', 1, { ttl: 1 });
  await until(async () => !(await cache.has('short')));
  const other = space.cache('values', { codec: 'bytes' });
  const small = space.cache<string>('small', { capacity: 8 });
  return [
    Buffer.from(copy ?? []).equals(all),
    await floats.peek('a'),
    computed,
    await cache.has('a'),
    await cache.peek(''),
    [await cache.delete(''), await cache.delete(''), await cache.peek('')],
    [await cache.tryGet('b', () => 'b'), await cache.tryGet('b', () => 'c')],
    hasCode(await failureOf(other.peek('b')), 'SLUICE_MISUSE'),
    [await failureOf(small.getAsync('a', () => 'too long')), await small.has('a')].map(String),
    hasCode(await failureOf(cache.getAsync('c', () => cache.getAsync('c', () => 1))), 'SLUICE_DEADLOCK'),
    hasCode(await failureOf(Promise.resolve().then(() => cache.get())), 'SLUICE_UNSUPPORTED'),
  ];
}

export const VALUES = [
  true,
  0.1,
  { key: [97] },
  false,
  { text: '"\n\u0000é😀' },
  [true, false, undefined],
  ['b', 'b'],
  true,
  [
    `RangeError: Cache 'small', key "a": a value may have at most 8 bytes, received one of 10. Nothing was kept.`,
    'false',
  ],
  true,
  true,
];

/** Waits that end early: the computation goes on, and its value is kept. */
export async function impatience(first: Space, second: Space): Promise<unknown[]> {
  const [here, there] = [first.cache<string>('slow'), second.cache<string>('slow')];
  const { opened, open } = gate();
  const load = async (): Promise<string> => {
    await opened;
    return 'slow';
  };
  const stop = new AbortController();
  const aborted = failureOf(here.getAsync('a', load, { signal: stop.signal }));
  await until(async () => (await there.inspect()).computing.length === 1);
  const timed = failureOf(there.getAsync('a', load, { timeout: 1 }));
  const none = [await there.tryGet('a', load), await there.tryGet('a', load, 1)];
  stop.abort('enough');
  const ends = [await aborted, hasCode(await timed, 'SLUICE_TIMEOUT'), none];
  open();
  await until(async () => (await there.peek('a')) === 'slow');
  return [...ends, here.statistics().computed];
}

export const IMPATIENCE = ['enough', true, [undefined, undefined], 1];

/** 60 calls of three keys in two processes. Returns the largest numbers that ran at once: of a key, and of all. */
export async function limits(first: Space, second: Space): Promise<unknown[]> {
  const options = { concurrency: 2, total: 5 };
  const { opened, open } = gate();
  const both = [first.keyedLimit('tenants', options), second.keyedLimit('tenants', options)] as const;
  const running = new Map<string, number>();
  const most = { key: 0, all: 0 };
  let all = 0;
  await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      both[n % 2 === 0 ? 0 : 1].runAsync(`tenant ${n % 3}`, async () => {
        const key = `tenant ${n % 3}`;
        running.set(key, (running.get(key) ?? 0) + 1);
        most.key = Math.max(most.key, running.get(key) ?? 0);
        most.all = Math.max(most.all, ++all);
        // The first five run at once, so two keys have two of them.
        if (all === options.total) open();
        await opened;
        running.set(key, (running.get(key) ?? 0) - 1);
        all--;
      }),
    ),
  );
  const { keys, running: left } = await both[1].inspect();
  return [most, keys, left];
}

export const LIMITS = [{ key: 2, all: 5 }, [], 0];

/** A key has 100 waiting calls. Returns how many of them start before the first call of another key. */
export async function fairness(first: Space, second: Space): Promise<number> {
  const options = { concurrency: 2, total: 1 };
  const [busy, other] = [first.keyedLimit('fair', options), second.keyedLimit('fair', options)];
  const guard = await busy.holdAsync('many');
  let started = 0;
  const many = Array.from({ length: 100 }, () => busy.runAsync('many', () => started++));
  // One of them has a slot of its key, and waits for the slot of all keys.
  await until(async () => (await busy.inspect()).waiting === 1);
  const one = other.runAsync('one', () => started);
  await until(async () => (await other.inspect()).waiting === 2);
  await guard.release();
  const before = await one;
  await Promise.all(many);
  return before;
}

/** Calls of a keyed limit that take nothing. */
export async function refusals(first: Space, second: Space): Promise<unknown[]> {
  const limit = first.keyedLimit('few', { concurrency: 1, total: 1 });
  const same = second.keyedLimit('few', { concurrency: 1, total: 1 }).for('a');
  const guard = await same.holdAsync();
  const ends = [
    await limit.tryHold('a'),
    await limit.tryHold('b'),
    hasCode(await failureOf(limit.holdAsync('b', { timeout: 1 })), 'SLUICE_TIMEOUT'),
    hasCode(await failureOf(second.keyedLimit('few', { concurrency: 2 }).holdAsync('a')), 'SLUICE_MISUSE'),
    hasCode(await failureOf(Promise.resolve().then(() => limit.hold())), 'SLUICE_UNSUPPORTED'),
    (await failureOf(Promise.resolve().then(() => first.keyedLimit('few', { concurrency: 0 })))).message,
  ];
  await guard.release();
  return [...ends, await limit.runAsync('b', ({ held }) => held), guard.held];
}

export const REFUSALS = [
  null,
  null,
  true,
  true,
  true,
  `KeyedLimit 'few': concurrency must be a whole number from 1 to 2147483647: received 0`,
  true,
  false,
];

/** The calls that a keyed rate limiter has in memory and over a server. */
interface KeyedRates {
  tryAcquire(key: string, weight?: number): boolean | Promise<boolean>;
  consume(key: string, weight?: number): unknown;
  acquireAsync(key: string, weight?: number, options?: WaitOptions): Promise<void>;
  remaining(key: string): number | Promise<number>;
  retryAfter(key: string, weight?: number): number | Promise<number>;
  penalty(key: string, permits?: number): void | Promise<void>;
  reward(key: string, permits?: number): void | Promise<void>;
  block(key: string, ms: number): void | Promise<void>;
  unblock(key: string): void | Promise<void>;
  blockedFor(key: string): number | Promise<number>;
  reset(key: string): void | Promise<void>;
}

/** No permit comes while the program runs. */
export const KEYED_RATE = { permits: 3, interval: 10_800_000 };
const HOUR = 3_600_000;

/** Uses the rates of some keys. Returns what the calls answered. */
export async function keyedRates(rates: KeyedRates): Promise<unknown[]> {
  const seen: unknown[] = [];
  const aboutHours = (ms: number): number => Math.round(ms / HOUR);
  seen.push([await rates.tryAcquire('a'), await rates.tryAcquire('a', 2), await rates.tryAcquire('a')]);
  seen.push([await rates.remaining('a'), await rates.remaining('b'), aboutHours(await rates.retryAfter('a', 2))]);
  const { taken, remaining, retryAfter } = (await rates.consume('b', 2)) as Record<string, number>;
  const refused = (await rates.consume('b', 2)) as Record<string, number>;
  seen.push([taken, remaining, retryAfter, refused['taken'], refused['remaining']]);
  seen.push(aboutHours(refused['retryAfter'] ?? 0));

  await rates.penalty('c', 5);
  seen.push([await rates.remaining('c'), aboutHours(await rates.retryAfter('c'))]);
  await rates.reward('c', 3);
  seen.push([await rates.remaining('c'), await rates.tryAcquire('c'), await rates.tryAcquire('c')]);

  await rates.block('d', 5 * HOUR);
  seen.push([await rates.tryAcquire('d'), await rates.remaining('d'), aboutHours(await rates.blockedFor('d'))]);
  seen.push(aboutHours(await rates.retryAfter('d')));
  await rates.unblock('d');
  seen.push([await rates.blockedFor('d'), await rates.tryAcquire('d', 3), await rates.tryAcquire('d')]);
  await rates.block('d', HOUR);
  await rates.reset('d');
  seen.push([await rates.remaining('d'), await rates.blockedFor('d')]);

  // A waiting call goes on when a permit is returned, and calls behind it take nothing.
  const waits = rates.acquireAsync('a', 1, {});
  seen.push([await rates.tryAcquire('a'), await rates.remaining('a')]);
  await rates.reward('a');
  await waits;
  seen.push(
    await failureOf(rates.acquireAsync('a', 1, { timeout: 1 })).then((error) => hasCode(error, 'SLUICE_TIMEOUT')),
  );
  seen.push((await failureOf(Promise.resolve().then(() => rates.tryAcquire('a', 4)))).name);
  return seen;
}

export const KEYED_RATES = [
  [true, true, false],
  [0, 3, 2],
  [true, 1, 0, false, 1],
  1,
  [0, 3],
  [1, true, false],
  [false, 0, 5],
  5,
  [0, true, false],
  [3, 0],
  [false, 0],
  true,
  'RangeError',
];

/** What a keyed rate limiter over a server refuses that one in memory does not. */
export async function keptForDays(space: Space): Promise<unknown[]> {
  const rates = space.keyedRateLimiter('days', KEYED_RATE);
  return [
    await failureOf(rates.penalty('a', 1000)),
    await failureOf(rates.block('a', Infinity)),
    await failureOf(
      Promise.resolve().then(() => space.keyedRateLimiter('weeks', { permits: 1, interval: 7 * 24 * HOUR })),
    ),
    await rates.remaining('a'),
  ].map((each) => (each instanceof Error ? each.name : each));
}

export const KEPT_FOR_DAYS = ['RangeError', 'RangeError', 'RangeError', 3];
