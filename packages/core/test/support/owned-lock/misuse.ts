// Wrong calls on an owned lock.

import { creationRows } from '../misuse-creation.ts';
import { wrong, type Prepare, type Row } from '../misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../misuse-waits.ts';
import type { OwnedLockKind, TestedLock } from './kind.ts';

/** `taken`: by another agent. `awaited`: taken, and this agent has an async wait. */
type State = 'free' | 'owned' | 'taken' | 'awaited' | 'freed';
type LockRow = Row<TestedLock, State>;

export const STATES: Readonly<Record<State, Prepare<TestedLock>>> = {
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

const WAITS: Waits<TestedLock> = {
  timeouts: [
    ['tryLock(%)', (lock, timeout) => lock.tryLock(timeout)],
    ['tryHold(%)', (lock, timeout) => lock.tryHold(timeout)],
  ],
  options: [
    ['lockAsync(%)', (lock, options) => lock.lockAsync(options)],
    ['holdAsync(%)', (lock, options) => lock.holdAsync(options)],
    ['runAsync(body, %)', (lock, options) => lock.runAsync(() => 0, options)],
  ],
  bodies: [
    ['run(%)', (lock, body) => lock.run(body)],
    ['runAsync(%)', (lock, body) => lock.runAsync(body)],
  ],
};

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
const NOT_OWNED = { ...MISUSE, says: 'does not own it. ' };
const NOT_INHERITED = { ...MISUSE, says: 'was not inherited' };
const OWNED = { ...MISUSE, says: 'already, so the call would never return. It was not locked.' };
const IN_USE = { ...MISUSE, says: 'is in use and cannot be freed' };
const FREED = { ...MISUSE, says: " 'bench' was freed and cannot be used any more." };
const STUCK = { error: 'DeadlockError', code: 'SLUICE_DEADLOCK', says: 'behind 1 async wait of its own' } as const;
const LATE = { error: 'TimeoutError', code: 'SLUICE_TIMEOUT', says: 'could not be locked within' } as const;
const HANDLE = { error: 'HandleError', code: 'SLUICE_HANDLE' } as const;

type Uses = readonly (readonly [call: string, use: (lock: TestedLock) => unknown])[];

const UNLOCK: Uses = [['unlock()', (lock) => lock.unlock()]];
const MARK: Uses = [['markConsistent()', (lock) => lock.markConsistent()]];
const FREE: Uses = [['free()', (lock) => lock.free()]];
const BLOCKING: Uses = [
  ['lock()', (lock) => lock.lock()],
  ['hold()', (lock) => lock.hold()],
  ['run(body)', (lock) => lock.run(() => 0)],
  ['tryLock(Infinity)', (lock) => lock.tryLock(Infinity)],
  ['tryHold(Infinity)', (lock) => lock.tryHold(Infinity)],
];
const AT_ONCE: Uses = [
  ['lockAsync({ timeout: 0 })', (lock) => lock.lockAsync({ timeout: 0 })],
  ['holdAsync({ timeout: 0 })', (lock) => lock.holdAsync({ timeout: 0 })],
  ['runAsync(body, { timeout: 0 })', (lock) => lock.runAsync(() => 0, { timeout: 0 })],
];
const SOON: Uses = [
  ['lockAsync({ timeout: 1 })', (lock) => lock.lockAsync({ timeout: 1 })],
  ['holdAsync({ timeout: 1 })', (lock) => lock.holdAsync({ timeout: 1 })],
  ['runAsync(body, { timeout: 1 })', (lock) => lock.runAsync(() => 0, { timeout: 1 })],
];
const OTHERS: Uses = [
  ['tryLock()', (lock) => lock.tryLock()],
  ['tryLock(5)', (lock) => lock.tryLock(5)],
  ['tryHold()', (lock) => lock.tryHold()],
  ['lockAsync()', (lock) => lock.lockAsync()],
  ['holdAsync()', (lock) => lock.holdAsync()],
  ['runAsync(body)', (lock) => lock.runAsync(() => 0)],
  ['name', (lock) => lock.name],
  ['owned', (lock) => lock.owned],
  ['inspect()', (lock) => lock.inspect()],
];

const rows = (state: State, rest: Pick<LockRow, 'error' | 'code' | 'says'>, uses: Uses): LockRow[] =>
  refusedRows(state, rest, uses);

/** `all`: the kinds for whose locks it may be mistaken. */
export function lockRows(kind: OwnedLockKind, all: readonly OwnedLockKind[]): LockRow[] {
  const { isReentrant, isQueued } = kind;
  const late = [...(isReentrant ? [] : ['owned' as const]), 'taken' as const];
  return [
    ...creationRows<TestedLock, State>(kind, 'free'),
    ...waitRows<TestedLock, State>(WAITS, ['free', 'owned', 'taken']),
    ...ownershipRows(),
    ...freeRows(kind),
    ...(isReentrant ? [] : rows('owned', OWNED, BLOCKING)),
    ...[...late, 'awaited' as const].flatMap((state) => rows(state, LATE, AT_ONCE)),
    // At a queued lock the place of a cancelled waiter stays: deadlock.ts.
    ...(isQueued ? [] : [...late.flatMap((state) => rows(state, LATE, SOON)), ...rows('awaited', STUCK, BLOCKING)]),
    ...otherKindRows(kind, all),
  ];
}

function ownershipRows(): LockRow[] {
  return [
    ...(['free', 'taken', 'awaited'] as const).flatMap((state) => rows(state, NOT_OWNED, [...UNLOCK, ...MARK])),
    ...rows('owned', NOT_INHERITED, MARK),
    { call: 'unlock() by another agent', state: 'owned', make: ({ theirs }) => theirs.unlock(), ...NOT_OWNED },
    {
      call: 'markConsistent() by another agent',
      state: 'owned',
      make: ({ theirs }) => theirs.markConsistent(),
      ...NOT_OWNED,
    },
  ];
}

function freeRows(kind: OwnedLockKind): LockRow[] {
  return [
    ...(['owned', 'taken', 'awaited'] as const).flatMap((state) => rows(state, IN_USE, FREE)),
    { call: 'free() by another agent', state: 'owned', make: ({ theirs }) => theirs.free(), ...IN_USE },
    ...rows('freed', FREED, [...BLOCKING, ...AT_ONCE, ...SOON, ...OTHERS, ...UNLOCK, ...MARK, ...FREE]),
    { call: 'unlock() by another agent', state: 'freed', make: ({ theirs }) => theirs.unlock(), ...FREED },
    {
      call: `${kind.what}.from(the handle of a freed one)`,
      state: 'freed',
      make: ({ ours }) => kind.from(ours.handle),
      ...HANDLE,
      says: 'what it led to was freed',
    },
  ];
}

function otherKindRows(kind: OwnedLockKind, all: readonly OwnedLockKind[]): LockRow[] {
  return all
    .filter((other) => other !== kind)
    .flatMap((other): LockRow[] => [
      {
        call: `${kind.what}.from(the handle of a ${other.what})`,
        state: 'free',
        make: () => kind.from(wrong(other.create().handle)),
        ...HANDLE,
        says: `received kind "${other.kindName}"`,
      },
      {
        call: `${kind.what}.from(the address of a ${other.what})`,
        state: 'free',
        make: ({ ours }) => kind.from(wrong({ ...other.create().handle, kind: ours.handle.kind })),
        ...HANDLE,
        says: 'holds another kind',
      },
    ]);
}
