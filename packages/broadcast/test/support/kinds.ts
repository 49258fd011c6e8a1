// The kind of this package, for tests that run with both engines and for agents that recover others.

import { KIND_SEMAPHORE } from '../../../core/src/kernel/layout.ts';
import { useKind } from '../../../core/test/support/engines.ts';
import {
  entriesAreNotReported,
  waitersGetPermits,
  waitersTakeNothing,
} from '../../../core/test/support/predict-report.ts';
import { jsBroadcast } from '../../src/js.ts';
import { BROADCAST } from '../../src/kinds.ts';

useKind(BROADCAST, jsBroadcast);
waitersTakeNothing(BROADCAST.code);
entriesAreNotReported(BROADCAST.code);
// The line of publishers.
waitersGetPermits(KIND_SEMAPHORE);
