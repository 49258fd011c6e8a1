import { misuseTable } from '../../core/test/support/misuse-table.ts';
import { LAZY, lazyRows, STATES } from './misuse/lazy.ts';

misuseTable(LAZY, STATES, lazyRows());
