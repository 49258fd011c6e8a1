import { misuseTable } from '../../../core/test/support/misuse-table.ts';
import { SEQUENCER } from './misuse/kinds.ts';
import { sequencerRows, STATES } from './misuse/sequencer.ts';

misuseTable(SEQUENCER, STATES, sequencerRows());
