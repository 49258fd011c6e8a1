import { describe } from 'vitest';
import { misuseTable } from '../../core/test/support/misuse-table.ts';
import { lockRows, RW_LOCK, STATES } from './misuse/lock.ts';
import { sideRows } from './misuse/sides.ts';

describe('wrong calls of a read-write lock', () => {
  misuseTable(RW_LOCK, STATES, lockRows());
});

describe('wrong calls of its two sides', () => {
  misuseTable(RW_LOCK, STATES, sideRows());
});
