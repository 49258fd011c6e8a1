import { creationRows } from '../../../../core/test/support/misuse-creation.ts';
import { wrong, type Kind, type Prepare, type Row } from '../../../../core/test/support/misuse-table.ts';
import { refusedRows } from '../../../../core/test/support/misuse-waits.ts';
import { Arena } from '../../../../core/src/index.ts';
import { Condition, type ConditionHandle, Mutex } from '../../../src/index.ts';

/**
 * `free`: no agent owns the lock. `owned`: this agent does. `awaited`: another agent waits, and this one owns the lock.
 */
export type State = 'free' | 'owned' | 'awaited' | 'freed';

/** The lock of all conditions of an arena, so that the creation of a condition creates nothing else. */
const locks = new Map<string, Mutex>();
/** For handles without a condition. */
const SPARE = Mutex.create();

function lockIn(arena: Arena | undefined): Mutex {
  const known = arena instanceof Arena ? locks.get(arena.id) : undefined;
  const lock = known ?? Mutex.create(arena === undefined ? {} : { arena });
  locks.set(lock.arena.id, lock);
  return lock;
}

/** `openAs` gives the arena another id for the second agent, so that agent opens the lock by its place. */
function lockOf(handle: ConditionHandle): Mutex {
  const { arena, memory } =
    typeof handle === 'object' ? ((handle as ConditionHandle | null) ?? ({} as Partial<ConditionHandle>)) : {};
  if (arena === undefined || memory === undefined) return SPARE;
  const known = locks.get(arena);
  if (known !== undefined) return known;
  for (const lock of locks.values()) {
    if (lock.handle.memory.buffer === memory.buffer) return Mutex.from({ ...lock.handle, arena });
  }
  return SPARE;
}

export const CONDITION: Kind<Condition> = {
  what: 'Condition',
  Class: Condition,
  create: (options: { readonly arena?: Arena } = {}) => {
    const isPlain = typeof options === 'object' && (options as object | null) !== null;
    if (!isPlain) return Condition.create(lockIn(undefined), wrong(options));
    const { arena, ...rest } = options;
    return Condition.create('arena' in options ? lockIn(arena) : lockIn(undefined), rest);
  },
  from: (handle, options) => Condition.from(wrong(handle), lockOf(wrong(handle)), options),
};

export const STATES: Readonly<Record<State, Prepare<Condition>>> = {
  free: () => () => undefined,
  owned: ({ ours }) => {
    ours.lock.lock();
    return () => ours.lock.unlock();
  },
  awaited: ({ ours, theirs }) => {
    theirs.lock.lock();
    const wait = theirs.waitAsync().then(() => theirs.lock.unlock());
    ours.lock.lock();
    return () => {
      ours.notifyAll();
      ours.lock.unlock();
      return wait;
    };
  },
  freed: ({ ours }) => {
    ours.free();
    return () => undefined;
  },
};

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;

type Uses = readonly (readonly [call: string, use: (condition: Condition) => unknown])[];
type ConditionRow = Row<Condition, State>;

const WAITS: Uses = [
  ['wait()', (condition) => condition.wait()],
  ['tryWait()', (condition) => condition.tryWait()],
  ['tryWait(5)', (condition) => condition.tryWait(5)],
  ['waitAsync()', (condition) => condition.waitAsync()],
  ['waitAsync({ timeout: 0 })', (condition) => condition.waitAsync({ timeout: 0 })],
  ['waitFor(() => true)', (condition) => condition.waitFor(() => true)],
  ['waitForAsync(() => true)', (condition) => condition.waitForAsync(() => true)],
];
const OTHERS: Uses = [
  ['notify()', (condition) => condition.notify()],
  ['notify(2)', (condition) => condition.notify(2)],
  ['notifyAll()', (condition) => condition.notifyAll()],
  ['waiting', (condition) => condition.waiting],
  ['name', (condition) => condition.name],
  ['inspect()', (condition) => condition.inspect()],
  ['free()', (condition) => condition.free()],
];

const NUMBERS: readonly (readonly [written: string, value: unknown, error: string, says: string])[] = [
  ['0', 0, 'RangeError', 'The number to notify must be a whole number from 1 to 2147483647: received 0'],
  ['-1', -1, 'RangeError', 'received -1'],
  ['1.5', 1.5, 'RangeError', 'received 1.5'],
  ['2 ** 31', 2 ** 31, 'RangeError', 'received 2147483648'],
  ['"1"', '1', 'TypeError', 'must be a number: received "1"'],
  ['null', null, 'TypeError', 'received null'],
];

export function conditionRows(): ConditionRow[] {
  const rows = (state: State, rest: Pick<ConditionRow, 'error' | 'code' | 'says'>, uses: Uses): ConditionRow[] =>
    refusedRows(state, rest, uses);
  const plain = (
    call: string,
    make: ConditionRow['make'],
    error: string,
    says: string,
    state: State = 'owned',
  ): ConditionRow => ({ call, state, make, error, says });
  return [
    ...creationRows<Condition, State>(CONDITION, 'free'),
    ...(['free', 'owned', 'awaited'] as const).flatMap((state) =>
      NUMBERS.map(([written, value, error, says]) =>
        plain(`notify(${written})`, ({ ours }) => ours.notify(wrong(value)), error, says, state),
      ),
    ),
    ...rows('free', { ...MISUSE, says: "Condition 'bench' cannot be waited for: this agent" }, WAITS),
    ...rows(
      'owned',
      { error: 'TimeoutError', code: 'SLUICE_TIMEOUT', says: "Condition 'bench' was not notified within" },
      [
        ['waitAsync({ timeout: 0 })', (condition) => condition.waitAsync({ timeout: 0 })],
        ['waitAsync({ timeout: 1 })', (condition) => condition.waitAsync({ timeout: 1 })],
      ],
    ),
    ...rows(
      'owned',
      {
        error: 'TimeoutError',
        code: 'SLUICE_TIMEOUT',
        says: "The predicate of Condition 'bench' was not true within 1 ms. The lock is held.",
      },
      [
        [
          'waitForAsync(() => false, { timeout: 1 })',
          (condition) => condition.waitForAsync(() => false, { timeout: 1 }),
        ],
      ],
    ),
    plain('tryWait(-1)', ({ ours }) => ours.tryWait(-1), 'RangeError', 'The timeout must be 0 ms or more: received -1'),
    plain('tryWait("1")', ({ ours }) => ours.tryWait(wrong('1')), 'TypeError', 'The timeout must be a number'),
    plain('waitAsync({ timeout: -1 })', ({ ours }) => ours.waitAsync({ timeout: -1 }), 'RangeError', 'received -1'),
    plain(
      'waitAsync({ late: 1 })',
      ({ ours }) => ours.waitAsync(wrong({ late: 1 })),
      'TypeError',
      'Unknown option "late"',
    ),
    plain('waitFor()', ({ ours }) => ours.waitFor(wrong(undefined)), 'TypeError', 'The callback must be a function'),
    plain('waitFor(() => true, -1)', ({ ours }) => ours.waitFor(() => true, -1), 'RangeError', 'received -1'),
    plain('waitForAsync(1)', ({ ours }) => ours.waitForAsync(wrong(1)), 'TypeError', 'The callback must be a function'),
    plain(
      'Condition.create()',
      () => Condition.create(wrong(undefined)),
      'TypeError',
      'The lock must be a Mutex, a RecursiveMutex or the writer of an RwLock: received undefined',
    ),
    plain(
      'Condition.create(a semaphore)',
      ({ sem }) => Condition.create(wrong(sem)),
      'TypeError',
      'The lock must be a Mutex',
    ),
    plain(
      'Condition.create(lock, { arena })',
      ({ ours, arena }) => Condition.create(ours.lock, wrong({ arena })),
      'TypeError',
      'Unknown option "arena"',
    ),
    plain(
      'Condition.from(handle, another lock)',
      ({ ours }) => Condition.from(ours.handle, SPARE),
      'HandleError',
      'refers to a condition of a lock other than',
    ),
    ...rows('awaited', { ...MISUSE, says: 'is in use and cannot be freed' }, [
      ['free()', (condition) => condition.free()],
    ]),
    ...rows('freed', { ...MISUSE, says: "The condition 'bench' was freed and cannot be used any more." }, [
      ...WAITS,
      ...OTHERS,
    ]),
  ];
}
