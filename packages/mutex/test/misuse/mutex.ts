import { creationRows } from '../../../core/test/support/misuse-creation.ts';
import { wrong, type Kind, type Prepare, type Row } from '../../../core/test/support/misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../../../core/test/support/misuse-waits.ts';
import { Mutex, RecursiveMutex } from '../../src/index.ts';

type AnyMutex = Mutex | RecursiveMutex;

/** `awaited`: another agent's, and this one has an async wait. */
export type State = 'free' | 'owned' | 'taken' | 'awaited' | 'freed';

export const STATES: Readonly<Record<State, Prepare<AnyMutex>>> = {
  free: () => () => undefined,
  owned: ({ ours }) => {
    ours.lock();
    return () => ours.unlock();
  },
  taken: ({ theirs }) => {
    theirs.lock();
    return () => theirs.unlock();
  },
  awaited: ({ ours, theirs }) => {
    theirs.lock();
    const wait = ours.lockAsync();
    return async () => {
      theirs.unlock();
      await wait;
      ours.unlock();
    };
  },
  freed: ({ ours }) => {
    ours.free();
    return () => undefined;
  },
};

const WAITS: Waits<AnyMutex> = {
  timeouts: [
    ['tryLock(%)', (mutex, timeout) => mutex.tryLock(timeout)],
    ['tryHold(%)', (mutex, timeout) => mutex.tryHold(timeout)],
  ],
  options: [
    ['lockAsync(%)', (mutex, options) => mutex.lockAsync(options)],
    ['holdAsync(%)', (mutex, options) => mutex.holdAsync(options)],
    ['runAsync(body, %)', (mutex, options) => mutex.runAsync(() => 0, options)],
  ],
  bodies: [
    ['run(%)', (mutex, body) => mutex.run(body)],
    ['runAsync(%)', (mutex, body) => mutex.runAsync(body)],
  ],
};

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
const NOT_OWNED = { ...MISUSE, says: 'does not own it. ' };
const OWNED = { ...MISUSE, says: 'already, so the call would never return. It was not locked.' };
const IN_USE = { ...MISUSE, says: 'is in use and cannot be freed' };
const STUCK = { error: 'DeadlockError', code: 'SLUICE_DEADLOCK', says: 'behind 1 async wait of its own' } as const;
const LATE = { error: 'TimeoutError', code: 'SLUICE_TIMEOUT', says: 'could not be locked within' } as const;

type Uses = readonly (readonly [call: string, use: (mutex: AnyMutex) => unknown])[];

const UNLOCK: Uses = [
  ['unlock()', (mutex) => mutex.unlock()],
  ['markConsistent()', (mutex) => mutex.markConsistent()],
];
const FREE: Uses = [['free()', (mutex) => mutex.free()]];
const BLOCKING: Uses = [
  ['lock()', (mutex) => mutex.lock()],
  ['hold()', (mutex) => mutex.hold()],
  ['run(body)', (mutex) => mutex.run(() => 0)],
  ['tryLock(Infinity)', (mutex) => mutex.tryLock(Infinity)],
  ['tryHold(Infinity)', (mutex) => mutex.tryHold(Infinity)],
];
const OTHERS: Uses = [
  ['tryLock()', (mutex) => mutex.tryLock()],
  ['tryLock(5)', (mutex) => mutex.tryLock(5)],
  ['tryHold()', (mutex) => mutex.tryHold()],
  ['lockAsync()', (mutex) => mutex.lockAsync()],
  ['lockAsync({ timeout: 0 })', (mutex) => mutex.lockAsync({ timeout: 0 })],
  ['lockAsync({ timeout: 5 })', (mutex) => mutex.lockAsync({ timeout: 5 })],
  ['holdAsync()', (mutex) => mutex.holdAsync()],
  ['runAsync(body)', (mutex) => mutex.runAsync(() => 0)],
  ['name', (mutex) => mutex.name],
  ['owned', (mutex) => mutex.owned],
  ['inspect()', (mutex) => mutex.inspect()],
];

/** Of both kinds of mutex. */
export function mutexRows<P extends AnyMutex>(kind: Kind<P>): Row<P, State>[] {
  const rows = (state: State, rest: Pick<Row<P, State>, 'error' | 'code' | 'says'>, uses: Uses): Row<P, State>[] =>
    refusedRows(state, rest, uses);
  return [
    ...creationRows(kind, 'free'),
    ...waitRows<P, State>(WAITS, ['free', 'owned', 'taken']),
    ...rows('free', NOT_OWNED, UNLOCK),
    ...rows('taken', NOT_OWNED, UNLOCK),
    ...rows('awaited', NOT_OWNED, UNLOCK),
    ...rows('owned', { ...MISUSE, says: 'was not inherited' }, UNLOCK.slice(1)),
    { call: 'unlock() by another agent', state: 'owned', make: ({ theirs }) => theirs.unlock(), ...NOT_OWNED },
    ...(['owned', 'taken', 'awaited'] as const).flatMap((state) => rows(state, IN_USE, FREE)),
    { call: 'free() by another agent', state: 'owned', make: ({ theirs }) => theirs.free(), ...IN_USE },
    ...rows('awaited', STUCK, BLOCKING),
    ...rows('taken', LATE, [
      ['lockAsync({ timeout: 0 })', (mutex) => mutex.lockAsync({ timeout: 0 })],
      ['holdAsync({ timeout: 1 })', (mutex) => mutex.holdAsync({ timeout: 1 })],
      ['runAsync(body, { timeout: 1 })', (mutex) => mutex.runAsync(() => 0, { timeout: 1 })],
    ]),
    ...rows('freed', { ...MISUSE, says: "mutex 'bench' was freed and cannot be used any more." }, [...BLOCKING, ...OTHERS, ...FREE]),
    ...rows('freed', MISUSE_OF_FREED, UNLOCK),
    {
      call: `${kind.what}.from(the handle of a freed one)`,
      state: 'freed',
      make: ({ ours }) => kind.from(ours.handle),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'what it led to was freed',
    },
    ...otherKindRows(kind),
  ];
}

/** Either is right: it is freed, and so it is nobody's. */
const MISUSE_OF_FREED = { ...MISUSE, says: '' };

function otherKindRows<P extends AnyMutex>(kind: Kind<P>): Row<P, State>[] {
  const { what } = kind;
  const Other = what === 'Mutex' ? RecursiveMutex : Mutex;
  const refused = { state: 'free', error: 'HandleError', code: 'SLUICE_HANDLE' } as const;
  return [
    {
      ...refused,
      call: `${what}.from(the handle of the other kind of mutex)`,
      make: () => kind.from(wrong(Other.create().handle)),
      says: `received kind ${what === 'Mutex' ? '"sluice.recursive-mutex"' : '"sluice.mutex"'}`,
    },
    {
      ...refused,
      call: `${what}.from(the address of the other kind of mutex)`,
      make: ({ ours }) => kind.from({ ...Other.create().handle, kind: ours.handle.kind }),
      says: 'holds another kind',
    },
  ];
}

/** Of the mutex that its owner may not lock again. */
export function plainRows(): Row<Mutex, State>[] {
  return [
    ...refusedRows<Mutex, State>('owned', OWNED, BLOCKING),
    ...refusedRows<Mutex, State>('owned', LATE, [
      ['lockAsync({ timeout: 0 })', (mutex) => mutex.lockAsync({ timeout: 0 })],
      ['lockAsync({ timeout: 1 })', (mutex) => mutex.lockAsync({ timeout: 1 })],
    ]),
  ];
}
