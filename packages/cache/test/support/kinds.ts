// The kind of a cache's locks, which are mutexes, for tests with both engines and for agents that recover others.

import { useKind } from '../../../core/test/support/engines.ts';
import { jsMutex } from '../../../mutex/src/js.ts';
import { MUTEX } from '../../../mutex/src/kinds.ts';

useKind(MUTEX, jsMutex);
