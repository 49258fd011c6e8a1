// The kinds of this package, for tests that run with both engines and for agents that recover gates.

import { useKind } from '../../../core/test/support/engines.ts';
import { waitersGetPermits } from '../../../core/test/support/predict-report.ts';
import { jsCapacitor } from '../../src/js.ts';
import { CAPACITOR, LANE, LANED_CAPACITOR, SEMAPHORE_CAPACITOR, TURNSTILE } from '../../src/gates/kinds.ts';

useKind(CAPACITOR, jsCapacitor);
useKind(LANED_CAPACITOR, jsCapacitor);
useKind(SEMAPHORE_CAPACITOR, jsCapacitor);
useKind(TURNSTILE, jsCapacitor);
waitersGetPermits(CAPACITOR.code);
waitersGetPermits(LANED_CAPACITOR.code);
waitersGetPermits(LANE.code);
