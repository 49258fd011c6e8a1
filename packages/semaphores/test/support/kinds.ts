// The kinds of this package, for tests with both engines and for agents that recover these semaphores.

import { FLAGS, LINE } from '../../../core/src/kernel/layout.ts';
import { useKind } from '../../../core/test/support/engines.ts';
import { waitersGetPermits, waitersMayLose } from '../../../core/test/support/predict-report.ts';
import { jsSemaphores } from '../../src/js.ts';
import { PRIORITY } from '../../src/kinds.ts';
import { RESIZABLE } from '../../src/resizable-kind.ts';
import { FLAG_WATCH } from '../../src/kernel/layout.ts';
import { elementHasLost } from './resizable-shadows.ts';

useKind(PRIORITY, jsSemaphores);
useKind(RESIZABLE, jsSemaphores);
waitersGetPermits(PRIORITY.code);
waitersGetPermits(RESIZABLE.code);
// A watcher gets no permit.
waitersMayLose(
  RESIZABLE.code,
  (words, element) =>
    (words.get32(words.get32(element + LINE) + FLAGS) & FLAG_WATCH) !== 0 || elementHasLost(words, element),
);
