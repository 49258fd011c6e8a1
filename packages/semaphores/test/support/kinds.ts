// For tests that run with both engines, and for agents that have to recover these semaphores: the kinds of this
// package.

import { FLAGS, SEM } from '../../../core/src/kernel/layout.ts';
import { useKind } from '../../../core/test/support/engines.ts';
import { waitersGetPermits, waitersMayLose } from '../../../core/test/support/foretell.ts';
import { jsSemaphores } from '../../src/js.ts';
import { SEMAPHORES } from '../../src/kinds.ts';
import { RESIZABLE } from '../../src/resizable-kind.ts';
import { FLAG_WATCH } from '../../src/kernel/layout.ts';
import { elementHasLost } from './resizable-shadows.ts';

useKind(SEMAPHORES, jsSemaphores);
useKind(RESIZABLE, jsSemaphores);
waitersGetPermits(SEMAPHORES.code);
waitersGetPermits(RESIZABLE.code);
// An agent that waits until a permit is free gets none.
waitersMayLose(
  RESIZABLE.code,
  (words, element) =>
    (words.get32(words.get32(element + SEM) + FLAGS) & FLAG_WATCH) !== 0 || elementHasLost(words, element),
);
