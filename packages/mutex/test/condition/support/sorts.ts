// The locks that can have conditions.

import type { Arena } from '../../../../core/src/index.ts';
import { Mutex, RecursiveMutex } from '../../../src/index.ts';
import { RwLock } from '../../../../rw-lock/src/index.ts';
import type { ConditionLock } from '../../../src/index.ts';

export interface Opened {
  readonly lock: ConditionLock;
  readonly handle: Mutex['handle'] | RecursiveMutex['handle'] | RwLock['handle'];
}

export interface Sort {
  readonly name: string;
  readonly create: (arena: Arena, name?: string) => Opened;
  readonly from: (handle: Opened['handle']) => ConditionLock;
}

function ofMutex(order: 'fifo' | 'turns'): Sort {
  return {
    name: `mutex, ${order}`,
    create: (arena, name) => {
      const lock = Mutex.create({ arena, name, order });
      return { lock, handle: lock.handle };
    },
    from: (handle) => Mutex.from(handle as Mutex['handle']),
  };
}

function ofWriter(order: 'fifo' | 'turns'): Sort {
  return {
    name: `writer, ${order}`,
    create: (arena, name) => {
      const lock = RwLock.create({ arena, name, order });
      return { lock: lock.writer, handle: lock.handle };
    },
    from: (handle) => RwLock.from(handle as RwLock['handle']).writer,
  };
}

const RECURSIVE: Sort = {
  name: 'recursive mutex',
  create: (arena, name) => {
    const lock = RecursiveMutex.create({ arena, name });
    return { lock, handle: lock.handle };
  },
  from: (handle) => RecursiveMutex.from(handle as RecursiveMutex['handle']),
};

export const SORTS: readonly Sort[] = [
  ofMutex('turns'),
  ofMutex('fifo'),
  RECURSIVE,
  ofWriter('turns'),
  ofWriter('fifo'),
];
export const IN_ORDER: readonly Sort[] = [ofMutex('fifo'), ofWriter('fifo')];
