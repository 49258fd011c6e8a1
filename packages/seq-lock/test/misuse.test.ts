import { misuseTable } from '../../core/test/support/misuse-table.ts';
import { SEQ_LOCK, seqRows, STATES } from './misuse/seq-lock.ts';

misuseTable(SEQ_LOCK, STATES, seqRows());
