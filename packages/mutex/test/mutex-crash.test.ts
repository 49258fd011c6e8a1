// Crashes of agents that use mutexes. With the engine 'js' a death within a step can lose a lock; no lock is owned twice.

import '../../core/test/support/crash-injection.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { mutexHands } from './support/crash-hands.ts';
import { mutexOperations } from './support/crash-mutexes.ts';
import { inOrder } from './support/mutex-scene.ts';

crashSuite({ operations: [...inOrder('turns', mutexOperations), ...inOrder('fifo', mutexOperations)], hands: mutexHands });
