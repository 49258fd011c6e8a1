// Wrong calls on a read-write lock as a whole.

import { creationRows } from '../../../core/test/support/misuse-creation.ts';
import type { Bench, Kind, Prepare, Row } from '../../../core/test/support/misuse-table.ts';
import { refusedRows } from '../../../core/test/support/misuse-waits.ts';
import { RwLock } from '../../src/index.ts';

/**
 * `read`, `written`: this agent or another one holds the lock for that. `awaited`: another agent writes, and this one
 * waits to write, in an async call.
 */
export type State =
  | 'free'
  | 'read'
  | 'written'
  | 'read elsewhere'
  | 'written elsewhere'
  | 'awaited'
  | 'read before a writer'
  | 'freed';

export const RW_LOCK: Kind<RwLock> = {
  what: 'RwLock',
  Class: RwLock,
  create: (options) => RwLock.create(options),
  from: (handle, options) => RwLock.from(handle, options),
};

function held(side: (bench: Bench<RwLock>) => { lock(): void; unlock(): void }): Prepare<RwLock> {
  return (bench) => {
    side(bench).lock();
    return () => side(bench).unlock();
  };
}

export const STATES: Readonly<Record<State, Prepare<RwLock>>> = {
  free: () => () => undefined,
  read: held(({ ours }) => ours.reader),
  written: held(({ ours }) => ours.writer),
  'read elsewhere': held(({ theirs }) => theirs.reader),
  'written elsewhere': held(({ theirs }) => theirs.writer),
  awaited: ({ ours, theirs }) => {
    theirs.writer.lock();
    const wait = ours.writer.lockAsync();
    return async () => {
      theirs.writer.unlock();
      await wait;
      ours.writer.unlock();
    };
  },
  'read before a writer': ({ ours, theirs }) => {
    ours.reader.lock();
    const wait = theirs.writer.lockAsync();
    return async () => {
      ours.reader.unlock();
      await wait;
      theirs.writer.unlock();
    };
  },
  freed: ({ ours }) => {
    ours.free();
    return () => undefined;
  },
};

export const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
export const FREED = { ...MISUSE, says: "The read-write lock 'bench' was freed and cannot be used any more." };
const NO_WRITER = { ...MISUSE, says: 'cannot be downgraded: this agent' };
const IN_USE = { ...MISUSE, says: 'is in use and cannot be freed' };
const STILL: readonly State[] = [
  'free',
  'read',
  'read elsewhere',
  'written elsewhere',
  'awaited',
  'read before a writer',
];

export function lockRows(): Row<RwLock, State>[] {
  return [
    ...creationRows<RwLock, State>(RW_LOCK, 'free', {
      'the reader': ({ reader }) => reader,
      'the writer': ({ writer }) => writer,
    }),
    ...STILL.flatMap((state) =>
      refusedRows<RwLock, State>(state, NO_WRITER, [['downgrade()', (lock) => lock.downgrade()]]),
    ),
    { call: 'downgrade() by another agent', state: 'written', make: ({ theirs }) => theirs.downgrade(), ...NO_WRITER },
    ...[...STILL.slice(1), 'written' as const].flatMap((state) =>
      refusedRows<RwLock, State>(state, IN_USE, [['free()', (lock) => lock.free()]]),
    ),
    ...refusedRows<RwLock, State>('freed', FREED, [
      ['downgrade()', (lock) => lock.downgrade()],
      ['name', (lock) => lock.name],
      ['inspect()', (lock) => lock.inspect()],
      ['free()', (lock) => lock.free()],
    ]),
    {
      call: 'RwLock.from(the handle of a freed one)',
      state: 'freed',
      make: ({ ours }) => RwLock.from(ours.handle),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'what it led to was freed',
    },
    {
      call: 'RwLock.from(the address of the writers’ line)',
      state: 'free',
      make: ({ ours }) => RwLock.from({ ...ours.handle, address: ours.handle.address + 128 }),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'what it led to was freed',
    },
  ];
}
