// The event count and the sequencer, for tests that run with both engines and for agents that recover waiters.

import { useKind } from '../../../../core/test/support/engines.ts';
import { waitersTakeNothing } from '../../../../core/test/support/predict-report.ts';
import { jsEventCount } from '../../../src/event-count/js.ts';
import { EVENT_COUNT, SEQUENCER } from '../../../src/event-count/kinds.ts';

for (const kind of [EVENT_COUNT, SEQUENCER]) {
  useKind(kind, jsEventCount);
  waitersTakeNothing(kind.code);
}
