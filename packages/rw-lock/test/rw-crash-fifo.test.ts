// Like rw-crash.test.ts, with the order 'fifo'.

import '../../core/test/support/crash-injection.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { rwHands } from './support/crash-hands.ts';
import { rwOperations } from './support/crash-rw-locks.ts';
import { useOrder } from './support/rw-crash-scene.ts';

useOrder('fifo');
crashSuite({ operations: rwOperations, hands: rwHands });
