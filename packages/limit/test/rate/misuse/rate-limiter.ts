// Wrong calls on a rate limiter. Its handle has three parts, so the table gets it with the handle of its line.

import type { SemaphoreHandle } from '@sluice/core';
import {
  wrong,
  type Bench,
  type Kind,
  type Prepare,
  type Primitive,
  type Row,
} from '../../../../core/test/support/misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../../../../core/test/support/misuse-waits.ts';
import { RateLimiter, type RateLimiterHandle, type RateLimiterOptions } from '../../../src/index.ts';
import { asOf } from '../support/agents.ts';

export class Wrapped implements Primitive {
  readonly limiter: RateLimiter;

  constructor(limiter: RateLimiter) {
    this.limiter = limiter;
  }

  get handle(): SemaphoreHandle {
    return this.limiter.handle.line;
  }

  inspect(): unknown {
    return this.limiter.inspect();
  }

  free(): void {
    this.limiter.free();
  }
}

const handles = new Map<number, RateLimiterHandle>();
/** A rate so low that no permit comes during a test. */
const RATE = { permits: 2, interval: 1e9 };

export const RATE_LIMITER: Kind<Wrapped> = {
  what: 'RateLimiter',
  Class: RateLimiter,
  create: (options = {}) => {
    const limiter = RateLimiter.create({ ...RATE, ...options });
    handles.set(limiter.handle.line.address, limiter.handle);
    return new Wrapped(limiter);
  },
  from: ({ arena, address }) => new Wrapped(RateLimiter.from(asOf(arena, handles.get(address) ?? wrong(undefined)))),
};

type State = 'idle' | 'empty' | 'closed' | 'freed';
type RateRow = Row<Wrapped, State>;

function nothing(): void {
  // The state is as before.
}

export const STATES: Readonly<Record<State, Prepare<Wrapped>>> = {
  idle: () => nothing,
  empty: ({ theirs }) => {
    theirs.limiter.acquire(2);
    return nothing;
  },
  closed: ({ theirs }) => {
    theirs.limiter.close();
    return nothing;
  },
  freed: ({ ours }) => {
    ours.free();
    return nothing;
  },
};

const WAITS: Waits<Wrapped> = {
  timeouts: [
    ['limiter.tryAcquire(1, %)', ({ limiter }, timeout) => limiter.tryAcquire(1, timeout)],
    ['limiter.acquire(1, { timeout: % })', ({ limiter }, timeout) => limiter.acquire(1, { timeout })],
    ['limiter.reserve(1, { timeout: % })', ({ limiter }, timeout) => limiter.reserve(1, { timeout })],
  ],
  options: [
    ['limiter.acquireAsync(1, %)', ({ limiter }, options) => limiter.acquireAsync(1, options)],
    ['limiter.reserveAsync(1, %)', ({ limiter }, options) => limiter.reserveAsync(1, options)],
    ['limiter.runAsync(() => 1, 1, %)', ({ limiter }, options) => limiter.runAsync(() => 1, 1, options)],
  ],
  bodies: [
    ['limiter.run(%)', ({ limiter }, body) => limiter.run(body)],
    ['limiter.runAsync(%)', ({ limiter }, body) => limiter.runAsync(body)],
  ],
};

type Use = readonly [call: string, use: (primitive: Wrapped) => unknown];

const USES: readonly Use[] = [
  ['limiter.tryAcquire()', ({ limiter }) => limiter.tryAcquire()],
  ['limiter.tryAcquire(1, 5)', ({ limiter }) => limiter.tryAcquire(1, 5)],
  ['limiter.acquire()', ({ limiter }) => limiter.acquire()],
  ['limiter.acquireAsync()', ({ limiter }) => limiter.acquireAsync()],
  ['limiter.reserve()', ({ limiter }) => limiter.reserve()],
  ['limiter.reserveAsync()', ({ limiter }) => limiter.reserveAsync()],
  ['limiter.run(() => 1)', ({ limiter }) => limiter.run(() => 1)],
  ['limiter.runAsync(() => 1)', ({ limiter }) => limiter.runAsync(() => 1)],
  ['limiter.retryAfter()', ({ limiter }) => limiter.retryAfter()],
];

const LOOKS: readonly Use[] = [
  ['limiter.name', ({ limiter }) => limiter.name],
  ['limiter.available', ({ limiter }) => limiter.available],
  ['limiter.waiting', ({ limiter }) => limiter.waiting],
  ['limiter.inspect()', ({ limiter }) => limiter.inspect()],
  ['limiter.close()', ({ limiter }) => limiter.close()],
  ['limiter.free()', ({ limiter }) => limiter.free()],
];

const WEIGHTS: readonly (readonly [written: string, weight: unknown, error: string, says: string])[] = [
  ['0', 0, 'RangeError', "RateLimiter 'bench': weight must be a whole number from 1 to 2: received 0"],
  ['-1', -1, 'RangeError', 'received -1'],
  ['1.5', 1.5, 'RangeError', 'received 1.5'],
  ['3', 3, 'RangeError', 'must be a whole number from 1 to 2: received 3'],
  ['NaN', Number.NaN, 'RangeError', 'received NaN'],
  ['"1"', '1', 'TypeError', 'weight must be a number: received "1"'],
  ['null', null, 'TypeError', 'received null'],
];

function weightRows(): RateRow[] {
  const calls: readonly (readonly [call: string, use: (limiter: RateLimiter, weight: never) => unknown])[] = [
    ['tryAcquire(%)', (limiter, weight) => limiter.tryAcquire(weight)],
    ['acquire(%)', (limiter, weight) => limiter.acquire(weight)],
    ['acquireAsync(%)', (limiter, weight) => limiter.acquireAsync(weight)],
    ['reserve(%)', (limiter, weight) => limiter.reserve(weight)],
    ['reserveAsync(%)', (limiter, weight) => limiter.reserveAsync(weight)],
    ['run(() => 1, %)', (limiter, weight) => limiter.run(() => 1, weight)],
    ['runAsync(() => 1, %)', (limiter, weight) => limiter.runAsync(() => 1, weight)],
    ['retryAfter(%)', (limiter, weight) => limiter.retryAfter(weight)],
  ];
  return calls.flatMap(([call, use]) =>
    WEIGHTS.map(([written, weight, error, says]): RateRow => {
      return {
        call: `limiter.${call.replace('%', written)}`,
        state: 'idle',
        make: ({ ours }) => use(ours.limiter, wrong(weight)),
        error,
        says,
      };
    }),
  );
}

const OPTIONS: readonly (readonly [written: string, options: unknown, error: string, says: string])[] = [
  ['null', null, 'TypeError', 'The options must be an object: received null'],
  ['100', 100, 'TypeError', 'The options must be an object: received 100'],
  ['{}', {}, 'TypeError', 'permits must be a number: received undefined'],
  ['{ permits: 1 }', { permits: 1 }, 'TypeError', 'interval must be a number: received undefined'],
  [
    '{ permits: 0 }',
    { ...RATE, permits: 0 },
    'RangeError',
    'permits must be a whole number from 1 to 2147483647: received 0',
  ],
  ['{ permits: 1.5 }', { ...RATE, permits: 1.5 }, 'RangeError', 'received 1.5'],
  ['{ permits: Infinity }', { ...RATE, permits: Infinity }, 'RangeError', 'received Infinity'],
  [
    '{ interval: 0 }',
    { ...RATE, interval: 0 },
    'RangeError',
    'interval must be more than 0 ms and at most 366 days: received 0',
  ],
  ['{ interval: -1 }', { ...RATE, interval: -1 }, 'RangeError', 'received -1'],
  ['{ interval: NaN }', { ...RATE, interval: Number.NaN }, 'RangeError', 'received NaN'],
  ['{ interval: Infinity }', { ...RATE, interval: Infinity }, 'RangeError', 'received Infinity'],
  ['{ interval: "1s" }', { ...RATE, interval: '1s' }, 'TypeError', 'interval must be a number: received "1s"'],
  [
    '{ burst: 0 }',
    { ...RATE, burst: 0 },
    'RangeError',
    'burst must be a whole number from 1 to 2147483647: received 0',
  ],
  ['{ burst: "2" }', { ...RATE, burst: '2' }, 'TypeError', 'burst must be a number: received "2"'],
  [
    'more permits than ticks',
    { permits: 16_001, interval: 1 },
    'RangeError',
    'permits must be at most 16000 for each ms of the interval: received 16001 in 1 ms',
  ],
  [
    'a burst that takes centuries',
    { permits: 1, interval: 1e9, burst: 1e6 },
    'RangeError',
    'burst must be a number of permits that comes within 8 years: received 1000000, with 1 in 1000000000 ms',
  ],
  ['{ intervalCap: 1 }', { ...RATE, intervalCap: 1 }, 'TypeError', 'Unknown option "intervalCap": expected one of '],
  ['{ name: 5 }', { ...RATE, name: 5 }, 'TypeError', 'The name must be a string: received 5'],
  [
    '{ name: 61 characters }',
    { ...RATE, name: 'x'.repeat(61) },
    'RangeError',
    'The name may have 60 bytes in UTF-8: received 61',
  ],
  ['{ policy: "fast" }', { ...RATE, policy: 'fast' }, 'TypeError', 'received "fast"'],
];

type Change = (handle: RateLimiterHandle, bench: Bench<Wrapped>) => unknown;

const HANDLES: readonly (readonly [written: string, change: Change, says: string])[] = [
  ['undefined', () => undefined, 'Not a handle of kind sluice.rate-limiter: received undefined'],
  ['7', () => 7, 'received 7'],
  ['{}', () => ({}), 'received kind undefined'],
  ['the handle of its line', ({ line }) => line, 'received kind "sluice.semaphore"'],
  ['the instance', (_, { ours }) => ours.limiter, 'received an instance: pass its `handle`'],
  ['a handle without a line', ({ kind, alarm, bucket }) => ({ kind, alarm, bucket }), 'received undefined'],
  ['a handle without an alarm', ({ kind, line, bucket }) => ({ kind, line, bucket }), 'received undefined'],
  ['a handle without a bucket', ({ kind, line, alarm }) => ({ kind, line, alarm }), 'received undefined'],
  [
    'a handle with a short bucket',
    (handle, { arena }) => ({ ...handle, bucket: { ...handle.bucket, byteLength: 8, arena: arena.id } }),
    'its bucket has 8 bytes',
  ],
  [
    'a handle with a foreign bucket',
    (handle, { region }) => ({ ...handle, bucket: region.handle }),
    'its bucket is not that of a rate limiter',
  ],
  [
    'a handle with the bucket of another arena',
    (handle) => ({ ...handle, bucket: RateLimiter.create(RATE).handle.bucket }),
    'its parts lie in different arenas',
  ],
];

const HANDLE_ERROR = { error: 'HandleError', code: 'SLUICE_HANDLE' } as const;
const CLOSED_ERROR = { error: 'ClosedError', code: 'SLUICE_CLOSED' } as const;
const MISUSE_ERROR = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
const TIMEOUT_ERROR = { error: 'TimeoutError', code: 'SLUICE_TIMEOUT' } as const;

const LATE: readonly Use[] = [
  ['limiter.acquire(1, { timeout: 0 })', ({ limiter }) => limiter.acquire(1, { timeout: 0 })],
  ['limiter.acquire(2, { timeout: 5 })', ({ limiter }) => limiter.acquire(2, { timeout: 5 })],
  ['limiter.acquireAsync(1, { timeout: 5 })', ({ limiter }) => limiter.acquireAsync(1, { timeout: 5 })],
  ['limiter.run(() => 1, 1, { timeout: 5 })', ({ limiter }) => limiter.run(() => 1, 1, { timeout: 5 })],
];

export const ROWS: readonly RateRow[] = [
  ...waitRows<Wrapped, State>(WAITS, ['idle', 'empty']),
  ...weightRows(),
  ...OPTIONS.map(([written, options, error, says]): RateRow => {
    return {
      call: `RateLimiter.create(${written})`,
      state: 'idle',
      make: ({ arena }) => RateLimiter.create(withArena(options, { arena })),
      error,
      says,
    };
  }),
  ...HANDLES.map(([written, change, says]): RateRow => {
    return {
      call: `RateLimiter.from(${written})`,
      state: 'idle',
      make: (bench) => RateLimiter.from(wrong(change(bench.ours.limiter.handle, bench))),
      ...HANDLE_ERROR,
      says,
    };
  }),
  {
    call: 'RateLimiter.from(handle, null)',
    state: 'idle',
    make: ({ ours }) => RateLimiter.from(ours.limiter.handle, wrong(null)),
    error: 'TypeError',
    says: 'The options must be an object: received null',
  },
  {
    call: 'RateLimiter.from(handle)',
    state: 'freed',
    make: ({ ours }) => RateLimiter.from(ours.limiter.handle),
    ...HANDLE_ERROR,
    says: 'what it led to was freed',
  },
  {
    call: 'new RateLimiter()',
    state: 'idle',
    make: () => new (wrong(RateLimiter) as new () => unknown)(),
    ...MISUSE_ERROR,
    says: 'Use RateLimiter.create or RateLimiter.from: the constructor is not for callers.',
  },
  {
    call: 'structuredClone(the instance)',
    state: 'idle',
    make: ({ ours }) => structuredClone(ours.limiter),
    error: 'DataCloneError',
    says: 'could not be cloned',
  },
  {
    call: 'limiter.acquire(1, { signal })',
    state: 'idle',
    make: ({ ours }) => ours.limiter.acquire(1, wrong({ signal: AbortSignal.abort() })),
    error: 'TypeError',
    says: 'Unknown option "signal": expected one of timeout.',
  },
  ...refusedRows<Wrapped, State>(
    'empty',
    { ...TIMEOUT_ERROR, says: "RateLimiter 'bench' gave no permit within " },
    LATE,
  ),
  ...refusedRows<Wrapped, State>(
    'closed',
    { ...CLOSED_ERROR, says: "RateLimiter 'bench' is closed. No permit was taken." },
    USES,
  ),
  ...refusedRows<Wrapped, State>(
    'freed',
    { ...MISUSE_ERROR, says: "The rate limiter 'bench' was freed and cannot be used any more." },
    [...USES, ...LOOKS],
  ),
];

function withArena(options: unknown, arena: object): RateLimiterOptions {
  return wrong(typeof options === 'object' && options !== null ? { ...arena, ...options } : options);
}
