import type { Semaphore } from '../../src/index.ts';
import { wrong, type Row } from './row.ts';

const range = (what: string): string =>
  `Semaphore 'bench': permits must be a whole number from 1 to 5: received ${what}`;
const type = (what: string): string => `Semaphore 'bench': permits must be a number: received ${what}`;

const wrongPermits: readonly (readonly [written: string, value: unknown, error: string, says: string])[] = [
  ['0', 0, 'RangeError', range('0')],
  ['-1', -1, 'RangeError', range('-1')],
  ['1.5', 1.5, 'RangeError', range('1.5')],
  ['NaN', Number.NaN, 'RangeError', range('NaN')],
  ['Infinity', Infinity, 'RangeError', range('Infinity')],
  ['6', 6, 'RangeError', range('6')],
  ['2 ** 31', 2 ** 31, 'RangeError', range('2147483648')],
  ['"2"', '2', 'TypeError', type('"2"')],
  ['1n', 1n, 'TypeError', type('1n')],
  ['null', null, 'TypeError', type('null')],
  ['{}', {}, 'TypeError', type('an object of type Object')],
];

const takers: readonly (readonly [name: string, call: (sem: Semaphore, permits: number) => unknown])[] = [
  ['acquire', (sem, permits) => sem.acquire(permits)],
  ['tryAcquire', (sem, permits) => sem.tryAcquire(permits)],
  ['acquireAsync', (sem, permits) => sem.acquireAsync(permits)],
  ['release', (sem, permits) => sem.release(permits)],
  ['hold', (sem, permits) => sem.hold(permits)],
  ['tryHold', (sem, permits) => sem.tryHold(permits)],
  ['holdAsync', (sem, permits) => sem.holdAsync(permits)],
  ['asLock', (sem, permits) => sem.asLock(permits)],
];

const permitRows = takers.flatMap(([name, call]) =>
  wrongPermits.map(
    ([written, value, error, says]): Row => ({
      call: `${name}(${written})`,
      make: ({ sem }) => call(sem, wrong(value)),
      error,
      says,
    }),
  ),
);

const wrongTimeouts: readonly (readonly [written: string, value: unknown, error: string, says: string])[] = [
  ['NaN', Number.NaN, 'RangeError', 'The timeout must be 0 ms or more: received NaN'],
  ['-1', -1, 'RangeError', 'The timeout must be 0 ms or more: received -1'],
  ['-Infinity', -Infinity, 'RangeError', 'received -Infinity'],
  ['"5"', '5', 'TypeError', 'The timeout must be a number: received "5"'],
  ['5n', 5n, 'TypeError', 'The timeout must be a number: received 5n'],
  ['null', null, 'TypeError', 'received null'],
];

const waiters: readonly (readonly [name: string, call: (sem: Semaphore, timeout: number) => unknown])[] = [
  ['tryAcquire(1, %)', (sem, timeout) => sem.tryAcquire(1, timeout)],
  ['tryHold(1, %)', (sem, timeout) => sem.tryHold(1, timeout)],
  ['acquireAsync(1, { timeout: % })', (sem, timeout) => sem.acquireAsync(1, { timeout })],
  ['holdAsync(1, { timeout: % })', (sem, timeout) => sem.holdAsync(1, { timeout })],
  ['runAsync(body, 1, { timeout: % })', (sem, timeout) => sem.runAsync(() => 0, 1, { timeout })],
  ['asLock().lockAsync({ timeout: % })', (sem, timeout) => sem.asLock().lockAsync({ timeout })],
];

const timeoutRows = waiters.flatMap(([name, call]) =>
  wrongTimeouts.map(
    ([written, value, error, says]): Row => ({
      call: name.replace('%', written),
      make: ({ sem }) => call(sem, wrong(value)),
      error,
      says,
    }),
  ),
);

/** Calls that are wrong in every state: permits, timeouts, signals, options, callbacks. */
export const argumentRows: readonly Row[] = [
  ...permitRows,
  ...timeoutRows,
  ...timeoutRows.map((row): Row => ({ ...row, state: 'busy' })),
  {
    call: 'acquireAsync(1, 7)',
    make: ({ sem }) => sem.acquireAsync(1, wrong(7)),
    error: 'TypeError',
    says: 'The options must be an object such as { timeout: 7 }: received 7',
  },
  {
    call: 'acquireAsync(1, null)',
    make: ({ sem }) => sem.acquireAsync(1, wrong(null)),
    error: 'TypeError',
    says: 'received null',
  },
  {
    call: 'holdAsync(1, "5")',
    make: ({ sem }) => sem.holdAsync(1, wrong('5')),
    error: 'TypeError',
    says: 'received "5"',
  },
  {
    call: 'acquireAsync(1, { signal: {} })',
    make: ({ sem }) => sem.acquireAsync(1, { signal: wrong({}) }),
    error: 'TypeError',
    says: 'The signal must be an AbortSignal: received an object of type Object',
  },
  {
    call: 'acquireAsync(1, { signal: null })',
    make: ({ sem }) => sem.acquireAsync(1, { signal: wrong(null) }),
    error: 'TypeError',
    says: 'The signal must be an AbortSignal: received null',
  },
  ...(['open', 'busy'] as const).flatMap((state): Row[] => [
    {
      call: 'acquireAsync(1, { signal: AbortSignal.abort() })',
      state,
      make: ({ sem }) => sem.acquireAsync(1, { signal: AbortSignal.abort() }),
      error: 'AbortError',
      says: 'aborted',
    },
    {
      call: 'runAsync(body, 1, { signal: AbortSignal.abort(new Error("mine")) })',
      state,
      make: ({ sem }) => sem.runAsync(() => 0, 1, { signal: AbortSignal.abort(new Error('mine')) }),
      error: 'Error',
      says: 'mine',
    },
    {
      call: 'run("body")',
      state,
      make: ({ sem }) => sem.run(wrong('body')),
      error: 'TypeError',
      says: 'The callback must be a function: received "body"',
    },
    {
      call: 'run()',
      state,
      make: ({ sem }) => sem.run(wrong(undefined)),
      error: 'TypeError',
      says: 'received undefined',
    },
    {
      call: 'runAsync(1)',
      state,
      make: ({ sem }) => sem.runAsync(wrong(1)),
      error: 'TypeError',
      says: 'The callback must be a function: received 1',
    },
  ]),
  {
    call: 'release(4) with 2 of 5 free',
    make: ({ sem }) => sem.release(4),
    error: 'RangeError',
    says: 'releasing 4 would leave more than max = 5 permits free',
  },
  {
    call: 'acquire(6) of max 5',
    state: 'busy',
    make: ({ sem }) => sem.acquire(6),
    error: 'RangeError',
    says: range('6'),
  },
  {
    call: 'acquireAsync(1, { timeout: 0 }) with none free',
    state: 'busy',
    make: ({ sem }) => sem.acquireAsync(1, { timeout: 0 }),
    error: 'TimeoutError',
    code: 'SLUICE_TIMEOUT',
    says: 'timed out after 0 ms waiting for 1 permit (',
  },
  {
    call: 'acquire() behind an async wait of this same agent',
    state: 'busy',
    make: ({ sem }) => sem.acquire(),
    error: 'DeadlockError',
    code: 'SLUICE_DEADLOCK',
    says: '1 async wait of its own',
  },
  {
    call: 'free() while an agent waits',
    state: 'busy',
    make: ({ sem }) => sem.free(),
    error: 'MisuseError',
    code: 'SLUICE_MISUSE',
    says: 'Close it first.',
  },
];
