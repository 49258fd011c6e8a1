// For tests that run with both engines, and for agents that have to recover these semaphores: the kinds of this package.

import { useKind } from '../../../core/test/support/engines.ts';
import { waitersGetPermits } from '../../../core/test/support/foretell.ts';
import { jsSemaphores } from '../../src/js.ts';
import { SEMAPHORES } from '../../src/kinds.ts';
import { RESIZABLE } from '../../src/resizable-kind.ts';

useKind(SEMAPHORES, jsSemaphores);
useKind(RESIZABLE, jsSemaphores);
waitersGetPermits(SEMAPHORES.code);
waitersGetPermits(RESIZABLE.code);
