import { misuseTable } from '../../../core/test/support/misuse-table.ts';
import { CONDITION, conditionRows, STATES } from './misuse/condition.ts';

misuseTable(CONDITION, STATES, conditionRows());
