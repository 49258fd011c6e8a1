import { describe } from 'vitest';
import { misuseTable } from '../../core/test/support/misuse-table.ts';
import { lockRows, STATES } from './misuse/lock.ts';
import { KINDS } from './support/kinds.ts';

describe.each(KINDS)('$what', (kind) => {
  misuseTable(kind, STATES, lockRows(kind));
});
