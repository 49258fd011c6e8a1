// For tests that run with both engines, and for agents that have to recover latches and barriers: the kinds of this
// package.

import { useKind } from '../../../core/test/support/engines.ts';
import { waitersTakeNothing } from '../../../core/test/support/foretell.ts';
import { jsBarrier } from '../../src/js.ts';
import { BARRIER, LATCH } from '../../src/kinds.ts';

for (const kind of [LATCH, BARRIER]) {
  useKind(kind, jsBarrier);
  waitersTakeNothing(kind.code);
}
