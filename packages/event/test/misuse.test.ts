import { misuseTable } from '../../core/test/support/misuse-table.ts';
import { EVENT, eventRows, STATES } from './misuse/event.ts';

misuseTable(EVENT, STATES, eventRows());
