// Tests every wrong call of a resizable semaphore: it throws a typed error that names the received value, and changes
// nothing.

import { expect, test } from 'vitest';
import { creationRows } from '../../core/test/support/misuse-creation.ts';
import {
  misuseTable,
  wrong,
  type Bench,
  type Kind,
  type Prepare,
  type Row,
} from '../../core/test/support/misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../../core/test/support/misuse-waits.ts';
import { PrioritySemaphore, ResizableSemaphore } from '../src/index.ts';

/**
 * `open`: 2 of 3 permits free. `busy`: none free, one async waiter of this agent. `contested`: the waiter belongs to
 * another agent. `owing`: a debt of 1.
 */
type State = 'open' | 'busy' | 'contested' | 'owing' | 'closed' | 'freed';
type ResizableRow = Row<ResizableSemaphore, State>;
type Use = readonly [call: string, use: (sem: ResizableSemaphore) => unknown];

const PERMITS = 3;
const MOST = 2 ** 31 - 1;

const kind: Kind<ResizableSemaphore> = {
  what: 'ResizableSemaphore',
  Class: ResizableSemaphore,
  create: (options) => ResizableSemaphore.create(PERMITS, options),
  from: (handle, options) => ResizableSemaphore.from(handle, options),
};

function waits({ ours }: Bench<ResizableSemaphore>, waiter: ResizableSemaphore): () => Promise<void> {
  ours.acquire(PERMITS);
  const wait = waiter.acquireAsync(2);
  return async () => {
    ours.release(2);
    await wait;
  };
}

const STATES: Readonly<Record<State, Prepare<ResizableSemaphore>>> = {
  open: ({ ours }) => {
    ours.acquire();
    return () => undefined;
  },
  busy: (bench) => waits(bench, bench.ours),
  contested: (bench) => waits(bench, bench.theirs),
  owing: ({ ours }) => {
    ours.acquire(PERMITS);
    ours.resize(PERMITS - 1);
    return () => undefined;
  },
  closed: ({ ours }) => {
    ours.acquire();
    ours.close();
    return () => undefined;
  },
  freed: ({ ours }) => {
    ours.free();
    return () => undefined;
  },
};

const WAITS: Waits<ResizableSemaphore> = {
  timeouts: [
    ['tryAcquire(1, %)', (sem, timeout) => sem.tryAcquire(1, timeout)],
    ['tryHold(1, %)', (sem, timeout) => sem.tryHold(1, timeout)],
    ['tryAcquireGuard(1, %)', (sem, timeout) => sem.tryAcquireGuard(1, timeout)],
    ['waitForUnlock(1, %)', (sem, timeout) => sem.waitForUnlock(1, timeout)],
    ['asLock().tryLock(%)', (sem, timeout) => sem.asLock().tryLock(timeout)],
  ],
  options: [
    ['acquireAsync(1, %)', (sem, options) => sem.acquireAsync(1, options)],
    ['holdAsync(1, %)', (sem, options) => sem.holdAsync(1, options)],
    ['acquireGuardAsync(1, %)', (sem, options) => sem.acquireGuardAsync(1, options)],
    ['waitForUnlockAsync(1, %)', (sem, options) => sem.waitForUnlockAsync(1, options)],
    ['runAsync(body, 1, %)', (sem, options) => sem.runAsync(() => 0, 1, options)],
    ['asLock().lockAsync(%)', (sem, options) => sem.asLock().lockAsync(options)],
  ],
  bodies: [
    ['run(%)', (sem, body) => sem.run(body)],
    ['runAsync(%)', (sem, body) => sem.runAsync(body)],
  ],
};

/** Calls that take a number. `least` is the smallest valid one. */
const NUMBERS: readonly (readonly [
  call: string,
  what: string,
  least: 0 | 1,
  use: (sem: ResizableSemaphore, n: number) => unknown,
])[] = [
  ...(
    [
      ['acquire(%)', (sem, n) => sem.acquire(n)],
      ['tryAcquire(%)', (sem, n) => sem.tryAcquire(n)],
      ['tryAcquire(%, 5)', (sem, n) => sem.tryAcquire(n, 5)],
      ['acquireAsync(%)', (sem, n) => sem.acquireAsync(n)],
      ['hold(%)', (sem, n) => sem.hold(n)],
      ['runAsync(body, %)', (sem, n) => sem.runAsync(() => 0, n)],
      ['asLock(%)', (sem, n) => sem.asLock(n)],
      ['release(%)', (sem, n) => sem.release(n)],
      ['forget(%)', (sem, n) => sem.forget(n)],
      ['acquireGuard(%)', (sem, n) => sem.acquireGuard(n)],
      ['tryAcquireGuard(%)', (sem, n) => sem.tryAcquireGuard(n)],
      ['acquireGuardAsync(%)', (sem, n) => sem.acquireGuardAsync(n)],
      ['waitForUnlock(%)', (sem, n) => sem.waitForUnlock(n)],
      ['waitForUnlockAsync(%)', (sem, n) => sem.waitForUnlockAsync(n)],
    ] satisfies (readonly [string, (sem: ResizableSemaphore, n: number) => unknown])[]
  ).map(([call, use]) => [call, 'permits', 1, use] as const),
  ['resize(%)', 'size', 0, (sem, n) => sem.resize(n)],
  ['addPermits(%)', 'permits to add', 1, (sem, n) => sem.addPermits(n)],
  ['reducePermits(%)', 'permits to take out', 1, (sem, n) => sem.reducePermits(n)],
  ['cancelWaiters(%)', 'the reason', 0, (sem, n) => sem.cancelWaiters(n)],
];

const WRONG: readonly (readonly [written: string, value: unknown, received: string])[] = [
  ['-1', -1, '-1'],
  ['1.5', 1.5, '1.5'],
  ['NaN', Number.NaN, 'NaN'],
  ['Infinity', Infinity, 'Infinity'],
  ['2 ** 31', 2 ** 31, '2147483648'],
  ['"2"', '2', '"2"'],
  ['1n', 1n, '1n'],
  ['null', null, 'null'],
  ['{}', {}, 'an object of type Object'],
];

function numberRows(state: State, values: typeof WRONG): ResizableRow[] {
  return NUMBERS.flatMap(([call, what, least, use]) =>
    [...values, ...(least === 1 ? ([['0', 0, '0']] as const) : [])].map(([written, value, received]): ResizableRow => {
      const isNumber = typeof value === 'number';
      const must = isNumber ? `a whole number from ${least} to ${MOST}` : 'a number';
      return {
        call: call.replace('%', written),
        state,
        make: ({ ours }) => use(ours, wrong(value)),
        error: isNumber ? 'RangeError' : 'TypeError',
        says: `'bench': ${what} must be ${must}: received ${received}`,
      };
    }),
  );
}

const CREATE: readonly (readonly [written: string, permits: unknown, options: object, error: string, says: string])[] =
  [
    [
      '-(2 ** 31)',
      -(2 ** 31),
      {},
      'RangeError',
      'permits must be a whole number from -2147483647 to 2147483647: received -2147483648',
    ],
    ['2 ** 31', 2 ** 31, {}, 'RangeError', 'received 2147483648'],
    ['0.5', 0.5, {}, 'RangeError', 'received 0.5'],
    ['"1"', '1', {}, 'TypeError', 'permits must be a number: received "1"'],
    ['', undefined, {}, 'TypeError', 'permits must be a number: received undefined'],
    ['1, { max: 3 }', 1, { max: 3 }, 'TypeError', 'Unknown option "max": expected one of arena, name, policy'],
    ['1, { recovery: false }', 1, { recovery: false }, 'TypeError', 'Unknown option "recovery"'],
  ];

const BLOCKING: readonly Use[] = [
  ['acquire()', (sem) => sem.acquire()],
  ['hold()', (sem) => sem.hold()],
  ['run(body)', (sem) => sem.run(() => 0)],
  ['acquireGuard()', (sem) => sem.acquireGuard()],
  ['tryAcquire(1, Infinity)', (sem) => sem.tryAcquire(1, Infinity)],
  ['asLock().lock()', (sem) => sem.asLock().lock()],
];

const TAKING: readonly Use[] = [
  ...BLOCKING,
  ['tryAcquire()', (sem) => sem.tryAcquire()],
  ['tryAcquire(1, 5)', (sem) => sem.tryAcquire(1, 5)],
  ['tryAcquireGuard()', (sem) => sem.tryAcquireGuard()],
  ['acquireAsync()', (sem) => sem.acquireAsync()],
  ['acquireAsync(1, { timeout: 0 })', (sem) => sem.acquireAsync(1, { timeout: 0 })],
  ['acquireGuardAsync()', (sem) => sem.acquireGuardAsync()],
  ['runAsync(body)', (sem) => sem.runAsync(() => 0)],
  ['drain()', (sem) => sem.drain()],
  ['waitForUnlock()', (sem) => sem.waitForUnlock()],
  ['waitForUnlock(1, 0)', (sem) => sem.waitForUnlock(1, 0)],
  ['waitForUnlockAsync()', (sem) => sem.waitForUnlockAsync()],
  ['resize(1)', (sem) => sem.resize(1)],
  ['addPermits(1)', (sem) => sem.addPermits(1)],
  ['reducePermits(1)', (sem) => sem.reducePermits(1)],
  ['cancelWaiters()', (sem) => sem.cancelWaiters()],
];

const OTHERS: readonly Use[] = [
  ['release()', (sem) => sem.release()],
  ['forget(1)', (sem) => sem.forget(1)],
  ['name', (sem) => sem.name],
  ['size', (sem) => sem.size],
  ['debt', (sem) => sem.debt],
  ['available', (sem) => sem.available],
  ['isLocked', (sem) => sem.isLocked],
  ['waiting', (sem) => sem.waiting],
  ['inspect()', (sem) => sem.inspect()],
  ['close()', (sem) => sem.close()],
  ['free()', (sem) => sem.free()],
];

const LATE: readonly Use[] = [
  ['acquireAsync(1, { timeout: 0 })', (sem) => sem.acquireAsync(1, { timeout: 0 })],
  ['acquireAsync(2, { timeout: 1 })', (sem) => sem.acquireAsync(2, { timeout: 1 })],
  ['acquireGuardAsync(1, { timeout: 1 })', (sem) => sem.acquireGuardAsync(1, { timeout: 1 })],
  ['waitForUnlockAsync(1, { timeout: 1 })', (sem) => sem.waitForUnlockAsync(1, { timeout: 1 })],
];

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
const CLOSED = {
  error: 'ClosedError',
  code: 'SLUICE_CLOSED',
  says: "ResizableSemaphore 'bench' is closed. No permit was taken.",
} as const;
const STUCK = { error: 'DeadlockError', code: 'SLUICE_DEADLOCK', says: '1 async wait of its own' } as const;
const TOO_LATE = { error: 'TimeoutError', code: 'SLUICE_TIMEOUT', says: 'timed out after' } as const;
const FREED = { ...MISUSE, says: "The semaphore 'bench' was freed" } as const;
const TOO_MANY = { error: 'RangeError', says: 'Nothing was changed.' } as const;

const other = PrioritySemaphore.create(1);

const moments: readonly ResizableRow[] = [
  ...refusedRows<ResizableSemaphore, State>('closed', CLOSED, TAKING),
  ...refusedRows<ResizableSemaphore, State>('freed', FREED, [...TAKING, ...OTHERS]),
  ...refusedRows<ResizableSemaphore, State>('busy', STUCK, BLOCKING),
  ...(['busy', 'contested', 'owing'] as const).flatMap((state) =>
    refusedRows<ResizableSemaphore, State>(state, TOO_LATE, LATE),
  ),
  ...(['busy', 'contested'] as const).flatMap((state) =>
    refusedRows<ResizableSemaphore, State>(state, { ...MISUSE, says: 'Close it first.' }, [
      ['free() while an agent waits', (sem) => sem.free()],
    ]),
  ),
  ...refusedRows<ResizableSemaphore, State>('open', TOO_MANY, [
    ['addPermits(2 ** 31 - 2) to 3', (sem) => sem.addPermits(MOST - 1)],
    ['release(2 ** 31 - 1) with 2 free', (sem) => sem.release(MOST)],
  ]),
  ...refusedRows<ResizableSemaphore, State>('owing', TOO_MANY, [
    ['reducePermits(2 ** 31 - 1) with a debt', (sem) => sem.reducePermits(MOST)],
  ]),
  ...(['open', 'closed'] as const).flatMap((state) =>
    refusedRows<ResizableSemaphore, State>(
      state,
      { ...MISUSE, says: 'forget(2) is for more permits than are held. Nothing was changed.' },
      [['forget(2) of 1', (sem) => sem.forget(2)]],
    ),
  ),
  {
    call: 'acquireAsync(2 ** 31 - 1) behind a waiter that lacks 2',
    state: 'contested',
    make: ({ ours }) => ours.acquireAsync(MOST),
    error: 'RangeError',
    says: 'would lack more than 2147483647 permits. No permit was taken.',
  },
  {
    call: 'from(the handle of a freed one)',
    state: 'freed',
    make: ({ ours }) => ResizableSemaphore.from(ours.handle),
    error: 'HandleError',
    code: 'SLUICE_HANDLE',
    says: 'what it led to was freed',
  },
  {
    call: 'from(a PrioritySemaphore’s handle)',
    state: 'open',
    make: () => ResizableSemaphore.from(wrong(other.handle)),
    error: 'HandleError',
    code: 'SLUICE_HANDLE',
    says: 'sluice.priority-semaphore',
  },
];

misuseTable(kind, STATES, [
  ...creationRows<ResizableSemaphore, State>(kind, 'open'),
  ...CREATE.map(
    ([written, permits, options, error, says]): ResizableRow => ({
      call: `create(${written})`,
      state: 'open',
      make: ({ arena }) => ResizableSemaphore.create(wrong(permits), { arena, ...options }),
      error,
      says,
    }),
  ),
  ...waitRows<ResizableSemaphore, State>(WAITS, ['open', 'busy', 'contested']),
  ...numberRows('open', WRONG),
  ...numberRows('busy', WRONG.slice(0, 1)),
  ...moments,
]);

test.each([[undefined], [null], [{}], [5]])('isSame(%s) throws a TypeError and names the semaphore', (other) => {
  const sem = ResizableSemaphore.create(1, { name: 'connections' });
  expect(() => sem.isSame(other as never)).toThrow(TypeError);
  expect(() => sem.isSame(other as never)).toThrow("ResizableSemaphore 'connections'");
});
