// For tests that run with both engines, and for agents that have to recover waiters: the kind of this package.

import { useKind } from '../../../core/test/support/engines.ts';
import { waitersTakeNothing } from '../../../core/test/support/foretell.ts';
import { jsEvent } from '../../src/js.ts';
import { MANUAL_EVENT } from '../../src/kinds.ts';

useKind(MANUAL_EVENT, jsEvent);
waitersTakeNothing(MANUAL_EVENT.code);
