import { describe } from 'vitest';
import { misuseTable, type Kind } from '../../core/test/support/misuse-table.ts';
import { Mutex, RecursiveMutex } from '../src/index.ts';
import { mutexRows, plainRows, STATES } from './misuse/mutex.ts';

const MUTEX: Kind<Mutex> = {
  what: 'Mutex',
  Class: Mutex,
  create: (options) => Mutex.create(options),
  from: (handle, options) => Mutex.from(handle, options),
};
const RECURSIVE: Kind<RecursiveMutex> = {
  what: 'RecursiveMutex',
  Class: RecursiveMutex,
  create: (options) => RecursiveMutex.create(options),
  from: (handle, options) => RecursiveMutex.from(handle, options),
};

describe('Mutex', () => {
  misuseTable(MUTEX, STATES, [...mutexRows(MUTEX), ...plainRows()]);
});

describe('RecursiveMutex', () => {
  misuseTable(RECURSIVE, STATES, mutexRows(RECURSIVE));
});
