import { misuseTable } from '../../core/test/support/misuse-table.ts';
import { STATES, STREAM, streamRows } from './misuse/broadcasts.ts';

misuseTable(STREAM, STATES, streamRows());
