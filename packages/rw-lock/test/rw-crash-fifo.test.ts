// Like rw-crash.test.ts, with the order 'fifo'.

import '../../core/test/support/crash-injection.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { rwHoldings } from './support/crash-while-holding.ts';
import { rwOperations } from './support/crash-rw-locks.ts';
import { useOrder } from './support/rw-crash-scene.ts';

useOrder('fifo');
crashSuite({ operations: rwOperations, holdings: rwHoldings });
