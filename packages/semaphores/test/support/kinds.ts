// For tests that run with both engines, and for agents that have to recover these semaphores: the kind of this package.

import { useKind } from '../../../core/test/support/engines.ts';
import { waitersGetPermits } from '../../../core/test/support/foretell.ts';
import { jsSemaphores } from '../../src/js.ts';
import { SEMAPHORES } from '../../src/kinds.ts';

useKind(SEMAPHORES, jsSemaphores);
waitersGetPermits(SEMAPHORES.code);
