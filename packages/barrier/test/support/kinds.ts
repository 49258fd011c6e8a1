// For tests that run with both engines, and for agents that have to recover latches: the kind of this package.

import { useKind } from '../../../core/test/support/engines.ts';
import { waitersTakeNothing } from '../../../core/test/support/foretell.ts';
import { jsBarrier } from '../../src/js.ts';
import { LATCH } from '../../src/kinds.ts';

useKind(LATCH, jsBarrier);
waitersTakeNothing(LATCH.code);
