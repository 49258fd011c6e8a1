// For tests that run with both engines: the rate limiter's kernel.

import { useJsKernel } from '../../../../core/test/support/engines.ts';
import { jsRateLimit } from '../../../src/rate/js.ts';

useJsKernel(jsRateLimit);
