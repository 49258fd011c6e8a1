import { describe } from 'vitest';
import { misuseTable } from '../../core/test/support/misuse-table.ts';
import { MUTEX, RECURSIVE } from './misuse/kinds.ts';
import { mutexRows, plainRows, STATES } from './misuse/mutex.ts';

describe('Mutex', () => {
  misuseTable(MUTEX, STATES, [...mutexRows(MUTEX), ...plainRows()]);
});

describe('RecursiveMutex', () => {
  misuseTable(RECURSIVE, STATES, mutexRows(RECURSIVE));
});
