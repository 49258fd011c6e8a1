// The kind of this package, for tests with both engines and for agents that recover writers.

import { useJsKernel, useKind } from '../../../core/test/support/engines.ts';
import { jsMutex } from '../../../mutex/src/js.ts';
import { jsSeqLock } from '../../src/js.ts';
import { SEQ_LOCK } from '../../src/kinds.ts';

useKind(SEQ_LOCK, jsMutex);
useJsKernel(jsSeqLock);
