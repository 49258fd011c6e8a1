// The kinds of this package, for tests that run with both engines and for agents that recover waiters.

import { useKind } from '../../../core/test/support/engines.ts';
import { waitersTakeNothing } from '../../../core/test/support/predict-report.ts';
import { jsEvent } from '../../src/js.ts';
import { LAZY, MANUAL_EVENT, ONCE } from '../../src/kinds.ts';

for (const kind of [MANUAL_EVENT, ONCE, LAZY]) {
  useKind(kind, jsEvent);
  waitersTakeNothing(kind.code);
}
