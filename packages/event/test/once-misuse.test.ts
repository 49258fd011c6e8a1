import { misuseTable } from '../../core/test/support/misuse-table.ts';
import { ONCE, onceRows, STATES } from './misuse/once.ts';

misuseTable(ONCE, STATES, onceRows());
