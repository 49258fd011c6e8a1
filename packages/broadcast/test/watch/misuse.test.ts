import { misuseTable } from '../../../core/test/support/misuse-table.ts';
import { CELL, cellRows, STATES } from './misuse/cells.ts';

misuseTable(CELL, STATES, cellRows());
