// For tests that run with both engines, and for agents that have to recover writers: the kind of this package.

import { useJsKernel, useKind } from '../../../core/test/support/engines.ts';
import { jsMutex } from '../../../mutex/src/js.ts';
import { jsSeqLock } from '../../src/js.ts';
import { SEQ_LOCK } from '../../src/kinds.ts';

useKind(SEQ_LOCK, jsMutex);
useJsKernel(jsSeqLock);
