// For tests that run with both engines: the limit's kernel.

import { useJsKernel } from '../../../core/test/support/engines.ts';
import { jsLimit } from '../../src/js.ts';

useJsKernel(jsLimit);
