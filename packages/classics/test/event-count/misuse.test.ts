import { misuseTable } from '../../../core/test/support/misuse-table.ts';
import { eventCountRows, STATES } from './misuse/event-count.ts';
import { EVENT_COUNT } from './misuse/kinds.ts';

misuseTable(EVENT_COUNT, STATES, eventCountRows());
