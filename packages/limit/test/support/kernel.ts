// The limit's kernel, for tests that run with both engines.

import { useJsKernel } from '../../../core/test/support/engines.ts';
import { jsLimit } from '../../src/js.ts';

useJsKernel(jsLimit);
