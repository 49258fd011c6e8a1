// Wrong calls on the two sides of a read-write lock.

import type { Row } from '../../../core/test/support/misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../../../core/test/support/misuse-waits.ts';
import type { RwLock } from '../../src/index.ts';
import { FREED, MISUSE, type State } from './lock.ts';

type Side = 'reader' | 'writer';
type Uses = readonly (readonly [call: string, use: (lock: RwLock) => unknown])[];
type Says = Pick<Row<RwLock, State>, 'error' | 'code' | 'says'>;

function rows(state: State, says: Says, uses: Uses): Row<RwLock, State>[] {
  return refusedRows(state, says, uses);
}

function waits(side: Side): Waits<RwLock> {
  return {
    timeouts: [
      [`${side}.tryLock(%)`, (lock, timeout) => lock[side].tryLock(timeout)],
      [`${side}.tryHold(%)`, (lock, timeout) => lock[side].tryHold(timeout)],
    ],
    options: [
      [`${side}.lockAsync(%)`, (lock, options) => lock[side].lockAsync(options)],
      [`${side}.holdAsync(%)`, (lock, options) => lock[side].holdAsync(options)],
      [`${side}.runAsync(body, %)`, (lock, options) => lock[side].runAsync(() => 0, options)],
    ],
    bodies: [
      [`${side}.run(%)`, (lock, body) => lock[side].run(body)],
      [`${side}.runAsync(%)`, (lock, body) => lock[side].runAsync(body)],
    ],
  };
}

function blocking(side: Side): Uses {
  return [
    [`${side}.lock()`, (lock) => lock[side].lock()],
    [`${side}.hold()`, (lock) => lock[side].hold()],
    [`${side}.run(body)`, (lock) => lock[side].run(() => 0)],
    [`${side}.tryLock(Infinity)`, (lock) => lock[side].tryLock(Infinity)],
    [`${side}.tryHold(Infinity)`, (lock) => lock[side].tryHold(Infinity)],
  ];
}

function others(side: Side): Uses {
  return [
    [`${side}.tryLock()`, (lock) => lock[side].tryLock()],
    [`${side}.tryLock(5)`, (lock) => lock[side].tryLock(5)],
    [`${side}.tryHold()`, (lock) => lock[side].tryHold()],
    [`${side}.lockAsync()`, (lock) => lock[side].lockAsync()],
    [`${side}.lockAsync({ timeout: 5 })`, (lock) => lock[side].lockAsync({ timeout: 5 })],
    [`${side}.holdAsync()`, (lock) => lock[side].holdAsync()],
    [`${side}.runAsync(body)`, (lock) => lock[side].runAsync(() => 0)],
  ];
}

function late(side: Side): Uses {
  return [
    [`${side}.lockAsync({ timeout: 0 })`, (lock) => lock[side].lockAsync({ timeout: 0 })],
    [`${side}.holdAsync({ timeout: 1 })`, (lock) => lock[side].holdAsync({ timeout: 1 })],
  ];
}

function unlock(side: Side): Uses {
  return [[`${side}.unlock()`, (lock) => lock[side].unlock()]];
}

const MARK: Uses = [['writer.markConsistent()', (lock) => lock.writer.markConsistent()]];
const NOT_READ = { ...MISUSE, says: 'does not hold it. It is ' };
const NOT_OWNED = { ...MISUSE, says: 'does not own it. ' };
const OWNED = { ...MISUSE, says: 'already, so the call would never return. It was not locked.' };
const READ = { ...MISUSE, says: 'is held for reading by this agent already, so the call would never return.' };
const HELD = { ...MISUSE, says: 'already, so the call would never return. It was not locked.' };
const STUCK: Says = { error: 'DeadlockError', code: 'SLUICE_DEADLOCK', says: 'behind 1 async wait of its own' };
const LATE = (what: string): Says => {
  return {
    error: 'TimeoutError',
    code: 'SLUICE_TIMEOUT',
    says: `could not be locked for ${what === 'read' ? 'reading' : 'writing'} within`,
  };
};

const SIDES: readonly Side[] = ['reader', 'writer'];
const NOT_TO_BE_READ: readonly State[] = ['written', 'written elsewhere', 'read before a writer'];
const NOT_TO_BE_WRITTEN: readonly State[] = ['written', 'written elsewhere', 'read', 'read elsewhere'];
const NOT_READING: readonly State[] = ['free', 'written', 'read elsewhere', 'written elsewhere', 'awaited'];
const NOT_WRITING: readonly State[] = [
  'free',
  'read',
  'read elsewhere',
  'written elsewhere',
  'awaited',
  'read before a writer',
];

export function sideRows(): Row<RwLock, State>[] {
  return [
    ...SIDES.flatMap((side) => waitRows<RwLock, State>(waits(side), ['free', 'read', 'written', 'written elsewhere'])),
    ...NOT_READING.flatMap((state) => rows(state, NOT_READ, unlock('reader'))),
    ...NOT_WRITING.flatMap((state) => rows(state, NOT_OWNED, [...unlock('writer'), ...MARK])),
    ...rows('written', { ...MISUSE, says: 'was not inherited' }, MARK),
    {
      call: 'reader.unlock() by another agent',
      state: 'read',
      make: ({ theirs }) => theirs.reader.unlock(),
      ...NOT_READ,
    },
    {
      call: 'writer.unlock() by another agent',
      state: 'written',
      make: ({ theirs }) => theirs.writer.unlock(),
      ...NOT_OWNED,
    },
    ...rows('written', OWNED, blocking('writer')),
    ...rows('written', HELD, blocking('reader')),
    ...rows('read', READ, blocking('writer')),
    ...rows('read before a writer', READ, blocking('writer')),
    ...rows('read before a writer', HELD, blocking('reader')),
    ...rows('awaited', STUCK, blocking('writer')),
    ...NOT_TO_BE_READ.flatMap((state) => rows(state, LATE('read'), late('reader'))),
    ...NOT_TO_BE_WRITTEN.flatMap((state) => rows(state, LATE('write'), late('writer'))),
    ...SIDES.flatMap((side) => rows('freed', FREED, [...blocking(side), ...others(side), ...late(side)])),
    ...rows('freed', FREED, unlock('reader')),
    ...rows('freed', { ...MISUSE, says: '' }, [...unlock('writer'), ...MARK]),
  ];
}
