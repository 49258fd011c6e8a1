// Correct calls in a wrong state.

import { refusedRows } from '../../../../core/test/support/misuse-waits.ts';
import { AddressSemaphore, LightweightSemaphore, type MultilaneSemaphore } from '../../../src/index.ts';
import { PrioritySemaphore } from '../../../../semaphores/src/index.ts';
import type { Member } from '../support/members.ts';
import type { MemberKind } from './kinds.ts';
import type { MemberRow, State } from './states.ts';

type Uses = readonly (readonly [call: string, use: (sem: Member) => unknown])[];

const BLOCKING: Uses = [
  ['acquire()', (sem) => sem.acquire()],
  ['hold()', (sem) => sem.hold()],
  ['run(body)', (sem) => sem.run(() => 0)],
  ['tryAcquire(1, Infinity)', (sem) => sem.tryAcquire(1, Infinity)],
  ['tryHold(1, Infinity)', (sem) => sem.tryHold(1, Infinity)],
  ['asLock().lock()', (sem) => sem.asLock().lock()],
];

const TAKING: Uses = [
  ...BLOCKING,
  ['tryAcquire()', (sem) => sem.tryAcquire()],
  ['tryAcquire(1, 5)', (sem) => sem.tryAcquire(1, 5)],
  ['tryHold()', (sem) => sem.tryHold()],
  ['acquireAsync()', (sem) => sem.acquireAsync()],
  ['acquireAsync(1, { timeout: 0 })', (sem) => sem.acquireAsync(1, { timeout: 0 })],
  ['acquireAsync(1, { timeout: 5 })', (sem) => sem.acquireAsync(1, { timeout: 5 })],
  ['holdAsync()', (sem) => sem.holdAsync()],
  ['runAsync(body)', (sem) => sem.runAsync(() => 0)],
  ['asLock().tryLock()', (sem) => sem.asLock().tryLock()],
  ['asLock().lockAsync()', (sem) => sem.asLock().lockAsync()],
  ['drain()', (sem) => sem.drain()],
];

const LATE: Uses = [
  ['acquireAsync(1, { timeout: 0 })', (sem) => sem.acquireAsync(1, { timeout: 0 })],
  ['acquireAsync(1, { timeout: 1 })', (sem) => sem.acquireAsync(1, { timeout: 1 })],
  ['holdAsync(1, { timeout: 1 })', (sem) => sem.holdAsync(1, { timeout: 1 })],
  ['runAsync(body, 1, { timeout: 1 })', (sem) => sem.runAsync(() => 0, 1, { timeout: 1 })],
];

const OTHERS: Uses = [
  ['release()', (sem) => sem.release()],
  ['release(2)', (sem) => sem.release(2)],
  ['asLock().unlock()', (sem) => sem.asLock().unlock()],
  ['name', (sem) => sem.name],
  ['available', (sem) => sem.available],
  ['waiting', (sem) => sem.waiting],
  ['inspect()', (sem) => sem.inspect()],
  ['close()', (sem) => sem.close()],
  ['free()', (sem) => sem.free()],
];

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
const CLOSED = {
  error: 'ClosedError',
  code: 'SLUICE_CLOSED',
  says: "'bench' is closed. No permit was taken.",
} as const;
const STUCK = { error: 'DeadlockError', code: 'SLUICE_DEADLOCK', says: '1 async wait of its own' } as const;
const TOO_LATE = { error: 'TimeoutError', code: 'SLUICE_TIMEOUT', says: 'timed out after' } as const;
const FREED = { ...MISUSE, says: "The semaphore 'bench' was freed" } as const;

/** Calls that only this member has, in each state in which they throw. */
function ownRows({ Class }: MemberKind): MemberRow[] {
  const light = (sem: Member): LightweightSemaphore => sem as LightweightSemaphore;
  const lanes = (sem: Member): MultilaneSemaphore => sem as MultilaneSemaphore;
  const many: Uses = [
    ['waitMany(2)', (sem) => light(sem).waitMany(2)],
    ['tryWaitMany(2)', (sem) => light(sem).tryWaitMany(2)],
    ['waitManyAsync(2)', (sem) => light(sem).waitManyAsync(2)],
  ];
  if ((Class as object) === LightweightSemaphore) {
    return [
      ...refusedRows<Member, State>('closed', CLOSED, many),
      ...refusedRows<Member, State>('freed', FREED, [...many, ['inner', (sem) => light(sem).inner]]),
      ...refusedRows<Member, State>('busy', STUCK, many.slice(0, 1)),
      ...refusedRows<Member, State>('contested', TOO_LATE, [
        ['waitManyAsync(2, { timeout: 1 })', (sem) => light(sem).waitManyAsync(2, { timeout: 1 })],
      ]),
    ];
  }
  if ((Class as object) === PrioritySemaphore) return priorityRows();
  if (Class.name !== 'MultilaneSemaphore') return [];
  return refusedRows<Member, State>('freed', FREED, [
    ['inner', (sem) => lanes(sem).inner],
    ['lanes', (sem) => lanes(sem).lanes],
    ['order', (sem) => lanes(sem).order],
    ['inspectLanes()', (sem) => lanes(sem).inspectLanes()],
  ]);
}

function priorityRows(): MemberRow[] {
  const levels = (sem: Member): PrioritySemaphore => sem as PrioritySemaphore;
  const above = {
    error: 'RangeError',
    says: "'bench': priority must be a whole number from 0 to 7: received 8",
  } as const;
  const text = { error: 'TypeError', says: '\'bench\': priority must be a number: received "high"' } as const;
  const withPriority = (priority: unknown): Uses => {
    const given = priority as number;
    const uses: Uses = [
      ['acquire(1, %)', (sem) => levels(sem).acquire(1, given)],
      ['tryAcquire(1, 0, %)', (sem) => levels(sem).tryAcquire(1, 0, given)],
      ['tryAcquire(1, 5, %)', (sem) => levels(sem).tryAcquire(1, 5, given)],
      ['acquireAsync(1, { priority: % })', (sem) => levels(sem).acquireAsync(1, { priority: given })],
      ['at(%)', (sem) => levels(sem).at(given)],
    ];
    return uses.map(([call, use]) => [call.replace('%', JSON.stringify(priority)), use]);
  };
  return [
    ...(['open', 'busy'] as const).flatMap((state) => [
      ...refusedRows<Member, State>(state, above, withPriority(8)),
      ...refusedRows<Member, State>(state, text, withPriority('high')),
    ]),
    ...refusedRows<Member, State>('freed', FREED, [
      ['ageing', (sem) => levels(sem).ageing],
      ['at(3)', (sem) => levels(sem).at(3)],
    ]),
  ];
}

export function momentRows(kind: MemberKind): MemberRow[] {
  // Without a queue no waiter is behind an async wait.
  const stuck = (kind.Class as object) === AddressSemaphore ? [] : BLOCKING;
  const tooMany = { error: 'RangeError', says: 'releasing 4 would leave more than max = 5 permits free' };
  return [
    ...refusedRows<Member, State>('closed', CLOSED, TAKING),
    ...refusedRows<Member, State>('freed', FREED, [...TAKING, ...OTHERS]),
    ...refusedRows<Member, State>('busy', STUCK, stuck),
    ...refusedRows<Member, State>('busy', TOO_LATE, LATE),
    ...refusedRows<Member, State>('contested', TOO_LATE, LATE),
    ...refusedRows<Member, State>('open', tooMany, [['release(4) with 2 of 5 free', (sem) => sem.release(4)]]),
    ...(['busy', 'contested'] as const).flatMap((state) =>
      refusedRows<Member, State>(state, { ...MISUSE, says: 'Close it first.' }, [
        ['free() while an agent waits', (sem) => sem.free()],
      ]),
    ),
    {
      call: 'free() by another agent',
      state: 'busy',
      make: ({ theirs }) => theirs.free(),
      ...MISUSE,
      says: 'Close it first.',
    },
    {
      call: `${kind.what}.from(the handle of a freed semaphore)`,
      state: 'freed',
      make: ({ ours }) => kind.from(ours.handle),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'what it led to was freed',
    },
    ...ownRows(kind),
  ];
}
