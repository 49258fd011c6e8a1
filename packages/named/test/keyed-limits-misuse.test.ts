// Tests wrong calls on keyed limits and keyed rate limiters: the error of each, and that nothing changed.

import { expect, test } from 'vitest';
import { Arena, Region, Semaphore, type SluiceErrorCode } from '../../core/src/index.ts';
import { wrong } from '../../core/test/support/misuse-table.ts';
import { HandClock } from '../../limit/test/rate/support/clocks.ts';
import { KeyedLimit, KeyedMutex, KeyedRateLimiter } from '../src/index.ts';
import { createWithClock } from '../src/rates/keyed-rate-limiter.ts';
import './support/kinds.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

interface Bench {
  readonly arena: Arena;
  /** One slot for each key, two for all. A call for 'k' runs. */
  readonly limit: KeyedLimit;
  /** Five permits for each key. One permit of 'k' is taken. */
  readonly rates: KeyedRateLimiter;
  readonly keyed: KeyedMutex;
  readonly sem: Semaphore;
  readonly region: Region;
  readonly gone: { readonly limit: KeyedLimit; readonly rates: KeyedRateLimiter };
}

interface Row {
  readonly call: string;
  readonly make: (bench: Bench) => unknown;
  readonly error: string;
  readonly code?: SluiceErrorCode;
  readonly says: string;
}

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
const HANDLE = { error: 'HandleError', code: 'SLUICE_HANDLE' } as const;
const LONG = 'x'.repeat(4097);

const RATE_CALLS: readonly (readonly [string, (rates: KeyedRateLimiter, key: string) => unknown])[] = [
  ['rates.for(%)', (rates, key) => rates.for(key)],
  ['rates.tryAcquire(%)', (rates, key) => rates.tryAcquire(key)],
  ['rates.consume(%)', (rates, key) => rates.consume(key)],
  ['rates.acquire(%)', (rates, key) => rates.acquire(key)],
  ['rates.acquireAsync(%)', (rates, key) => rates.acquireAsync(key)],
  ['rates.run(%, body)', (rates, key) => rates.run(key, () => 1)],
  ['rates.runAsync(%, body)', (rates, key) => rates.runAsync(key, () => 1)],
  ['rates.remaining(%)', (rates, key) => rates.remaining(key)],
  ['rates.retryAfter(%)', (rates, key) => rates.retryAfter(key)],
  ['rates.penalty(%)', (rates, key) => rates.penalty(key)],
  ['rates.reward(%)', (rates, key) => rates.reward(key)],
  ['rates.block(%, 5)', (rates, key) => rates.block(key, 5)],
  ['rates.unblock(%)', (rates, key) => rates.unblock(key)],
  ['rates.blockedFor(%)', (rates, key) => rates.blockedFor(key)],
  ['rates.reset(%)', (rates, key) => rates.reset(key)],
];

const LIMIT_CALLS: readonly (readonly [string, (limit: KeyedLimit, key: string) => unknown])[] = [
  ['limit.for(%)', (limit, key) => limit.for(key)],
  ['limit.hold(%)', (limit, key) => limit.hold(key)],
  ['limit.tryHold(%)', (limit, key) => limit.tryHold(key)],
  ['limit.holdAsync(%)', (limit, key) => limit.holdAsync(key)],
  ['limit.run(%, body)', (limit, key) => limit.run(key, () => 1)],
  ['limit.runAsync(%, body)', (limit, key) => limit.runAsync(key, () => 1)],
];

/** Wrong keys for a call. `use` gets the primitive of the bench, or the freed one. */
function keyRows(call: string, what: string, use: (of: Pick<Bench, 'limit' | 'rates'>, key: string) => unknown): Row[] {
  return [
    {
      call: call.replace('%', '7'),
      make: (bench) => use(bench, wrong(7)),
      error: 'TypeError',
      says: 'The key must be a string: received 7',
    },
    {
      call: call.replace('%', 'a key of 4097 units'),
      make: (bench) => use(bench, LONG),
      error: 'RangeError',
      says: 'The key may have at most 4096 UTF-16 code units: received 4097',
    },
    {
      call: `${call.replace('%', "'k'")} of a freed one`,
      make: ({ gone }) => use(gone, 'k'),
      ...MISUSE,
      says: `${what} 'gone' was freed and cannot be used any more.`,
    },
  ];
}

const KEYS: readonly Row[] = [
  ...RATE_CALLS.flatMap(([call, use]) => keyRows(call, 'The keyed rate limiter', ({ rates }, key) => use(rates, key))),
  ...LIMIT_CALLS.flatMap(([call, use]) => keyRows(call, 'The keyed limit', ({ limit }, key) => use(limit, key))),
];

const WEIGHTS: readonly Row[] = [0, 6, 1.5].flatMap((weight): Row[] => [
  {
    call: `rates.tryAcquire('k', ${weight})`,
    make: ({ rates }) => rates.tryAcquire('k', weight),
    error: 'RangeError',
    says: `weight must be a whole number from 1 to 5: received ${weight}`,
  },
  {
    call: `rates.acquireAsync('k', ${weight})`,
    make: ({ rates }) => rates.acquireAsync('k', weight),
    error: 'RangeError',
    says: `weight must be a whole number from 1 to 5: received ${weight}`,
  },
]);

const USES: readonly Row[] = [
  {
    call: "rates.tryAcquire('k', { timeout: 5 })",
    make: ({ rates }) => rates.tryAcquire('k', wrong({ timeout: 5 })),
    error: 'TypeError',
    says: 'weight must be a number',
  },
  {
    call: "rates.tryAcquire('k', 1, -1)",
    make: ({ rates }) => rates.tryAcquire('k', 1, -1),
    error: 'RangeError',
    says: 'The timeout must be 0 ms or more: received -1',
  },
  {
    call: "rates.acquire('k', 1, { late: 1 })",
    make: ({ rates }) => rates.acquire('k', 1, wrong({ late: 1 })),
    error: 'TypeError',
    says: 'Unknown option "late"',
  },
  {
    call: "rates.acquireAsync('k', 1, { timeout: -1 })",
    make: ({ rates }) => rates.acquireAsync('k', 1, { timeout: -1 }),
    error: 'RangeError',
    says: 'The timeout must be 0 ms or more',
  },
  {
    call: "rates.acquireAsync('k', 1, { signal: aborted })",
    make: ({ rates }) => rates.acquireAsync('k', 1, { signal: AbortSignal.abort(new Error('gone')) }),
    error: 'Error',
    says: 'gone',
  },
  {
    call: "rates.run('k', 7)",
    make: ({ rates }) => rates.run('k', wrong(7)),
    error: 'TypeError',
    says: 'must be a function: received 7',
  },
  {
    call: "rates.penalty('k', 0)",
    make: ({ rates }) => rates.penalty('k', 0),
    error: 'RangeError',
    says: 'permits must be a whole number from 1 to 2147483647: received 0',
  },
  {
    call: "rates.reward('k', -1)",
    make: ({ rates }) => rates.reward('k', -1),
    error: 'RangeError',
    says: 'permits must be a whole number from 1 to 2147483647: received -1',
  },
  {
    call: "rates.block('k', -1)",
    make: ({ rates }) => rates.block('k', -1),
    error: 'RangeError',
    says: 'The time of a block must be 0 ms or more: received -1',
  },
  {
    call: "rates.block('k', '5')",
    make: ({ rates }) => rates.block('k', wrong('5')),
    error: 'TypeError',
    says: 'The time of a block must be a number: received "5"',
  },
  {
    call: "limit.tryHold('k', -1)",
    make: ({ limit }) => limit.tryHold('k', -1),
    error: 'RangeError',
    says: 'The timeout must be 0 ms or more: received -1',
  },
  {
    call: "limit.holdAsync('k', { late: 1 })",
    make: ({ limit }) => limit.holdAsync('k', wrong({ late: 1 })),
    error: 'TypeError',
    says: 'Unknown option "late"',
  },
  {
    call: "limit.holdAsync('other', { signal: aborted })",
    make: ({ limit }) => limit.holdAsync('other', { signal: AbortSignal.abort(new Error('gone')) }),
    error: 'Error',
    says: 'gone',
  },
  {
    call: "limit.run('other', async () => 1)",
    make: ({ limit }) =>
      limit.run(
        'other',
        wrong(async () => Promise.resolve(1)),
      ),
    ...MISUSE,
    says: 'cannot be held for an async function',
  },
  {
    call: 'limit.free() while a call runs',
    make: ({ limit }) => limit.free(),
    ...MISUSE,
    says: 'is in use and cannot be freed',
  },
];

const CREATIONS: readonly Row[] = [
  ...[0, 1.5, NaN, 2 ** 31].map(
    (concurrency): Row => ({
      call: `KeyedLimit.create({ concurrency: ${concurrency} })`,
      make: ({ arena }) => KeyedLimit.create({ concurrency, arena }),
      error: 'RangeError',
      says: 'concurrency must be a whole number from 1 to 2147483647',
    }),
  ),
  {
    call: 'KeyedLimit.create({})',
    make: () => KeyedLimit.create(wrong({})),
    error: 'TypeError',
    says: 'concurrency must be a number: received undefined',
  },
  {
    call: 'KeyedLimit.create({ concurrency: 1, total: 0 })',
    make: ({ arena }) => KeyedLimit.create({ concurrency: 1, total: 0, arena }),
    error: 'RangeError',
    says: 'total must be a whole number from 1 to 2147483647: received 0',
  },
  {
    call: 'KeyedLimit.create({ concurrency: 1, max: 2 })',
    make: ({ arena }) => KeyedLimit.create(wrong({ concurrency: 1, max: 2, arena })),
    error: 'TypeError',
    says: 'Unknown option "max"',
  },
  {
    call: 'KeyedRateLimiter.create({ permits: 0, interval: 1 })',
    make: ({ arena }) => KeyedRateLimiter.create({ permits: 0, interval: 1, arena }),
    error: 'RangeError',
    says: 'permits must be a whole number from 1 to 2147483647: received 0',
  },
  {
    call: 'KeyedRateLimiter.create({ permits: 1, interval: 0 })',
    make: ({ arena }) => KeyedRateLimiter.create({ permits: 1, interval: 0, arena }),
    error: 'RangeError',
    says: 'interval must be more than 0 ms',
  },
  {
    call: 'KeyedRateLimiter.create({ permits: 1, interval: 1, policy: {} })',
    make: ({ arena }) => KeyedRateLimiter.create(wrong({ permits: 1, interval: 1, policy: {}, arena })),
    error: 'TypeError',
    says: 'Unknown option "policy"',
  },
  {
    call: 'KeyedLimit.from(the handle of a keyed mutex)',
    make: ({ keyed }) => KeyedLimit.from(wrong({ ...keyed.handle, kind: 'sluice.keyed-limit' })),
    ...HANDLE,
    says: 'Not a handle of kind sluice.keyed-limit',
  },
  {
    call: 'KeyedRateLimiter.from(the handle of a keyed limit)',
    make: ({ limit }) => KeyedRateLimiter.from(wrong({ ...limit.handle, kind: 'sluice.keyed-rate-limiter' })),
    ...HANDLE,
    says: 'Not a handle of kind sluice.keyed-rate-limiter',
  },
  {
    call: 'KeyedLimit.from(the handle of a region)',
    make: ({ region }) => KeyedLimit.from(wrong(region.handle)),
    ...HANDLE,
    says: 'sluice.keyed-limit',
  },
  {
    call: 'KeyedLimit.from(a handle whose total is a region)',
    make: ({ limit, region }) => KeyedLimit.from(wrong({ ...limit.handle, total: region.handle })),
    ...HANDLE,
    says: 'its total is not that of the limit',
  },
];

function benchOf(): Bench {
  const arena = Arena.create({ maxPages: 16, policy: { buckets: 16 } });
  const gone = {
    limit: KeyedLimit.create({ concurrency: 1, arena, name: 'gone' }),
    rates: KeyedRateLimiter.create({ permits: 1, interval: 1, arena, name: 'gone' }),
  };
  gone.limit.free();
  gone.rates.free();
  const limit = KeyedLimit.create({ concurrency: 1, total: 2, arena, name: 'limit' });
  const rates = createWithClock({ permits: 5, interval: 1000, arena, name: 'rates' }, new HandClock().read);
  limit.hold('k');
  rates.acquire('k');
  return {
    arena,
    limit,
    rates,
    keyed: KeyedMutex.create({ arena }),
    sem: Semaphore.create(1, { arena }),
    region: Region.create(64, { arena }),
    gone,
  };
}

function look({ arena, limit, rates }: Bench): unknown {
  return { limit: limit.inspect(), rates: rates.inspect(), waiting: arena.inspect().elements.waiting };
}

async function errorOf(make: () => unknown): Promise<unknown> {
  try {
    await make();
  } catch (failure) {
    return failure;
  }
  throw new Error('The call did not fail.');
}

const ROWS = [...KEYS, ...WEIGHTS, ...USES, ...CREATIONS];

test.each(ROWS.map((row) => [row.call, row.error, row] as const))(
  '%s throws a %s and changes nothing',
  async (_call, error, { make, code, says }) => {
    const bench = benchOf();
    const before = look(bench);
    const failure = await errorOf(() => make(bench));
    expect(failure).toMatchObject(code === undefined ? { name: error } : { name: error, code });
    expect((failure as Error).message).toContain(says);
    expect(withoutAges(look(bench))).toEqual(withoutAges(before));
  },
);

test('no row is listed twice', () => {
  const calls = ROWS.map(({ call }) => call);
  expect(calls.filter((call, index) => calls.indexOf(call) !== index)).toEqual([]);
});
