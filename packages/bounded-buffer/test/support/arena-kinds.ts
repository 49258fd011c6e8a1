// Registers the bounded buffer for agents that run the TypeScript kernel, or recover others. Import it for its effect.

import { deadOwnersInterrupt, waitersGetPermits } from '../../../core/test/support/predict-report.ts';
import { useKind } from '../../../core/test/support/engines.ts';
import { jsBoundedBuffer } from '../../src/js.ts';
import { BUFFER, SIDE_LOCK } from '../../src/sides/kinds.ts';

useKind(BUFFER, jsBoundedBuffer);
waitersGetPermits(BUFFER.code);
deadOwnersInterrupt(SIDE_LOCK.code);
