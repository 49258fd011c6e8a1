// For tests that run with both engines, and for agents that have to recover events: the kind of this package.

import { useKind } from '../../../core/test/support/engines.ts';
import { jsAutoResetEvent } from '../../src/js.ts';
import { EVENT } from '../../src/kinds.ts';

useKind(EVENT, jsAutoResetEvent);
