import { misuseTable } from '../../core/test/support/misuse-table.ts';
import { BARRIER, BARRIER_STATES, barrierRows } from './misuse/barrier.ts';

misuseTable(BARRIER, BARRIER_STATES, barrierRows());
