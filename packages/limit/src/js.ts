// The entry '@sluice/limit/js': the kernels of this package in TypeScript.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

export { jsRateLimit } from './rate/js.ts';

/**
 * The kernel steps of limits in TypeScript, for an agent that runs `jsEngine`. A limit over a given semaphore does not need them.
 *
 * ```ts run
 * import { Arena } from '@sluice/core';
 * import { jsEngine } from '@sluice/core/js';
 * import { createLimit } from '@sluice/limit';
 * import { jsLimit } from '@sluice/limit/js';
 *
 * const arena = Arena.create({ engine: jsEngine.with(jsLimit) });
 * console.log(await createLimit(2, { arena })(() => 'ran')); // ran
 * ```
 */
export const jsLimit: JsKernel = /* @__PURE__ */ Object.freeze({ kernel: KERNEL_ID, bind: (words: Words) => boundTo(words, { ...steps }) });
