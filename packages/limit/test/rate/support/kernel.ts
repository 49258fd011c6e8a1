// The rate limiter's kernel, for tests that run with both engines.

import { useJsKernel } from '../../../../core/test/support/engines.ts';
import { jsRateLimit } from '../../../src/rate/js.ts';

useJsKernel(jsRateLimit);
