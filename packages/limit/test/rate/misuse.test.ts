import { misuseTable } from '../../../core/test/support/misuse-table.ts';
import { RATE_LIMITER, ROWS, STATES } from './misuse/rate-limiter.ts';

misuseTable(RATE_LIMITER, STATES, ROWS);
