import { misuseTable } from '../../core/test/support/misuse-table.ts';
import { LATCH, latchRows, STATES } from './misuse/latch.ts';

misuseTable(LATCH, STATES, latchRows());
