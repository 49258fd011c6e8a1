// The kind of this package, for tests that run with both engines and for agents that recover events.

import { useKind } from '../../../core/test/support/engines.ts';
import { jsAutoResetEvent } from '../../src/js.ts';
import { EVENT } from '../../src/kinds.ts';

useKind(EVENT, jsAutoResetEvent);
