// The kinds of this package, for tests that run with both engines and for agents that recover latches and barriers.

import { useKind } from '../../../core/test/support/engines.ts';
import { waitersTakeNothing } from '../../../core/test/support/predict-report.ts';
import { jsBarrier } from '../../src/js.ts';
import { BARRIER, LATCH } from '../../src/kinds.ts';

for (const kind of [LATCH, BARRIER]) {
  useKind(kind, jsBarrier);
  waitersTakeNothing(kind.code);
}
