// For tests that run with both engines, and for agents that have to recover these semaphores: the kinds of the papers'
// semaphores, and those of
// @sluice/semaphores, which the same tests compare with them.

import { useKind } from '../../../../core/test/support/engines.ts';
import { waitersGetPermits } from '../../../../core/test/support/foretell.ts';
import { SEMAPHORES } from '../../../src/semaphores/kinds.ts';
import { jsClassicSemaphores } from '../../../src/semaphores/js.ts';
import '../../../../semaphores/test/support/kinds.ts';

useKind(SEMAPHORES, jsClassicSemaphores);
waitersGetPermits(SEMAPHORES.code);
