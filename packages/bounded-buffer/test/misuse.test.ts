import { misuseTable } from '../../core/test/support/misuse-table.ts';
import { BUFFER, bufferRows, STATES } from './misuse/buffers.ts';

misuseTable(BUFFER, STATES, bufferRows());
