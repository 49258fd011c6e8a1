// For tests that run with both engines, and for agents that have to recover mutexes: the kinds of this package.

import { useKind } from '../../../core/test/support/engines.ts';
import { jsMutex } from '../../src/js.ts';
import { MUTEX, RECURSIVE_MUTEX } from '../../src/kinds.ts';

useKind(MUTEX, jsMutex);
useKind(RECURSIVE_MUTEX, jsMutex);
