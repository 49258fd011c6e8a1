// The kinds of conditions and their locks, for tests with both engines and for agents that recover conditions.

import { useKind } from '../../../../core/test/support/engines.ts';
import { jsMutex } from '../../../src/js.ts';
import { MUTEX, RECURSIVE_MUTEX } from '../../../src/kinds.ts';
import { jsRwLock } from '../../../../rw-lock/src/js.ts';
import { RW_LOCK } from '../../../../rw-lock/src/kinds.ts';
import { jsCondition } from '../../../src/condition/js.ts';
import { CONDITION } from '../../../src/condition/kinds.ts';

useKind(MUTEX, jsMutex);
useKind(RECURSIVE_MUTEX, jsMutex);
useKind(RW_LOCK, jsRwLock);
useKind(CONDITION, jsCondition);
