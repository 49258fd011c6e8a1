import { creationRows } from '../../../core/test/support/misuse-creation.ts';
import { wrong, type Kind, type Prepare, type Row } from '../../../core/test/support/misuse-table.ts';
import { refusedRows } from '../../../core/test/support/misuse-waits.ts';
import { Mutex, type MutexHandle } from '../../../mutex/src/index.ts';
import { Condition, type ConditionHandle } from '../../src/index.ts';

/** `free`: no agent owns the lock. `owned`: this agent does. `awaited`: another agent waits, and this one owns the lock. */
export type State = 'free' | 'owned' | 'awaited' | 'freed';

/** The locks of the conditions that were created, by the condition's tag. */
const locks = new Map<number, MutexHandle>();
/** For handles that lead to none. */
const SPARE = Mutex.create();

function lockOf(handle: ConditionHandle): Mutex {
  const known = typeof handle === 'object' ? locks.get((handle as ConditionHandle | null)?.tag ?? 0) : undefined;
  return known === undefined ? SPARE : Mutex.from({ ...known, arena: handle.arena });
}

export const CONDITION: Kind<Condition> = {
  what: 'Condition',
  Class: Condition,
  create: (options: { readonly arena?: never } = {}) => {
    const isPlain = typeof options === 'object' && (options as object | null) !== null;
    const { arena, ...rest } = isPlain ? options : {};
    const lock = Mutex.create(arena === undefined ? {} : { arena });
    try {
      const condition = Condition.create(lock, isPlain ? rest : options);
      locks.set(condition.handle.tag, lock.handle);
      return condition;
    } catch (failure) {
      lock.free();
      throw failure;
    }
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
  const rows = (state: State, rest: Pick<ConditionRow, 'error' | 'code' | 'says'>, uses: Uses): ConditionRow[] => refusedRows(state, rest, uses);
  const plain = (call: string, make: ConditionRow['make'], error: string, says: string, state: State = 'owned'): ConditionRow => ({ call, state, make, error, says });
  return [
    ...creationRows<Condition, State>(CONDITION, 'free'),
    ...(['free', 'owned', 'awaited'] as const).flatMap((state) =>
      NUMBERS.map(([written, value, error, says]) => plain(`notify(${written})`, ({ ours }) => ours.notify(wrong(value)), error, says, state)),
    ),
    ...rows('free', { ...MISUSE, says: "Condition 'bench' cannot be waited for: this agent" }, WAITS),
    ...rows('owned', { error: 'TimeoutError', code: 'SLUICE_TIMEOUT', says: "Condition 'bench' was not notified within" }, [
      ['waitAsync({ timeout: 0 })', (condition) => condition.waitAsync({ timeout: 0 })],
      ['waitAsync({ timeout: 1 })', (condition) => condition.waitAsync({ timeout: 1 })],
      ['waitForAsync(() => false, { timeout: 1 })', (condition) => condition.waitForAsync(() => false, { timeout: 1 })],
    ]),
    plain('tryWait(-1)', ({ ours }) => ours.tryWait(-1), 'RangeError', 'The timeout must be 0 ms or more: received -1'),
    plain('tryWait("1")', ({ ours }) => ours.tryWait(wrong('1')), 'TypeError', 'The timeout must be a number'),
    plain('waitAsync({ timeout: -1 })', ({ ours }) => ours.waitAsync({ timeout: -1 }), 'RangeError', 'received -1'),
    plain('waitAsync({ late: 1 })', ({ ours }) => ours.waitAsync(wrong({ late: 1 })), 'TypeError', 'Unknown option "late"'),
    plain('waitFor()', ({ ours }) => ours.waitFor(wrong(undefined)), 'TypeError', 'The callback must be a function'),
    plain('waitFor(() => true, -1)', ({ ours }) => ours.waitFor(() => true, -1), 'RangeError', 'received -1'),
    plain('waitForAsync(1)', ({ ours }) => ours.waitForAsync(wrong(1)), 'TypeError', 'The callback must be a function'),
    plain('Condition.create()', () => Condition.create(wrong(undefined)), 'TypeError', 'The lock must be a Mutex, a RecursiveMutex or the writer of an RwLock: received undefined'),
    plain('Condition.create(a semaphore)', ({ sem }) => Condition.create(wrong(sem)), 'TypeError', 'The lock must be a Mutex'),
    plain('Condition.create(lock, { arena })', ({ ours, arena }) => Condition.create(ours.lock, wrong({ arena })), 'TypeError', 'Unknown option "arena"'),
    plain('Condition.from(handle, another lock)', ({ ours }) => Condition.from(ours.handle, SPARE), 'HandleError', 'leads to a condition of another lock'),
    ...rows('awaited', { ...MISUSE, says: 'is in use and cannot be freed' }, [['free()', (condition) => condition.free()]]),
    ...rows('freed', { ...MISUSE, says: "The condition 'bench' was freed and cannot be used any more." }, [...WAITS, ...OTHERS]),
  ];
}
