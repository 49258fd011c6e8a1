// For tests with both engines, and for agents that have to recover others: the locks of a table are mutexes.

import { useKind } from '../../../core/test/support/engines.ts';
import { jsMutex } from '../../../mutex/src/js.ts';
import { MUTEX } from '../../../mutex/src/kinds.ts';

useKind(MUTEX, jsMutex);
