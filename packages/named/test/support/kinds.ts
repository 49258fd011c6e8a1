// The kinds of this package's locks, which are mutexes, and the kernel of its rates, for tests with both engines and
// for agents that recover others.

import { useJsKernel, useKind } from '../../../core/test/support/engines.ts';
import { jsRateLimit } from '../../../limit/src/rate/js.ts';
import { jsMutex } from '../../../mutex/src/js.ts';
import { MUTEX } from '../../../mutex/src/kinds.ts';

useKind(MUTEX, jsMutex);
useJsKernel(jsRateLimit);
