// The kinds of the papers' semaphores and those of @sluice/semaphores, for tests that compare them with both engines
// and for agents that recover them.

import { useKind } from '../../../../core/test/support/engines.ts';
import { waitersGetPermits } from '../../../../core/test/support/predict-report.ts';
import { SEMAPHORES } from '../../../src/semaphores/kinds.ts';
import { jsClassicSemaphores } from '../../../src/semaphores/js.ts';
import '../../../../semaphores/test/support/kinds.ts';

useKind(SEMAPHORES, jsClassicSemaphores);
waitersGetPermits(SEMAPHORES.code);
