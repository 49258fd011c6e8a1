// For tests that run with both engines, and for agents that have to recover gates: the kinds of this package.

import { useKind } from '../../../core/test/support/engines.ts';
import { jsCapacitor } from '../../src/js.ts';
import { TURNSTILE } from '../../src/kinds.ts';

useKind(TURNSTILE, jsCapacitor);
