import type { Kind } from '../../../core/test/support/misuse-table.ts';
import { Mutex, RecursiveMutex } from '../../src/index.ts';

export const MUTEX: Kind<Mutex> = {
  what: 'Mutex',
  Class: Mutex,
  create: (options) => Mutex.create(options),
  from: (handle, options) => Mutex.from(handle, options),
};
export const RECURSIVE: Kind<RecursiveMutex> = {
  what: 'RecursiveMutex',
  Class: RecursiveMutex,
  create: (options) => RecursiveMutex.create(options),
  from: (handle, options) => RecursiveMutex.from(handle, options),
};
