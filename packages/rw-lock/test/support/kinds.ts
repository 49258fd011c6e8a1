// The kinds of this package, for tests with both engines and for agents that recover read-write locks.

import { useKind } from '../../../core/test/support/engines.ts';
import { jsRwLock } from '../../src/js.ts';
import { RW_LOCK } from '../../src/kinds.ts';

useKind(RW_LOCK, jsRwLock);
