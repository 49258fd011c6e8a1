// The kernel of rate limiters in TypeScript.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

/**
 * The steps of `RateLimiter` in TypeScript, for an agent that runs `jsEngine`.
 *
 * ```ts run
 * import { Arena } from '@sluice/core';
 * import { jsEngine } from '@sluice/core/js';
 * import { RateLimiter } from '@sluice/limit';
 * import { jsRateLimit } from '@sluice/limit/js';
 *
 * const arena = Arena.create({ engine: jsEngine.with(jsRateLimit) });
 * console.log(RateLimiter.create({ permits: 1, interval: 1000, arena }).tryAcquire()); // true
 * ```
 */
export const jsRateLimit: JsKernel = /* @__PURE__ */ Object.freeze({ kernel: KERNEL_ID, bind: (words: Words) => boundTo(words, { ...steps }) });
