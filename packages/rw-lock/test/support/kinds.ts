// For tests that run with both engines, and for agents that have to recover read-write locks: the kinds of this
// package.

import { useKind } from '../../../core/test/support/engines.ts';
import { jsRwLock } from '../../src/js.ts';
import { RW_LOCK } from '../../src/kinds.ts';

useKind(RW_LOCK, jsRwLock);
