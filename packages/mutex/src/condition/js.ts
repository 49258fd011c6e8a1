// The kernel of conditions in TypeScript.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

/**
 * The steps of `Condition` in TypeScript, for an agent that runs `jsEngine`.
 *
 * ```ts run
 * import { Arena } from '@sluice/core';
 * import { jsEngine } from '@sluice/core/js';
 * import { Condition, Mutex } from '@sluice/mutex';
 * import { jsCondition, jsMutex } from '@sluice/mutex/js';
 *
 * const arena = Arena.create({ engine: jsEngine.with(jsMutex, jsCondition) });
 * console.log(Condition.create(Mutex.create({ arena })).notify()); // 0
 * ```
 */
export const jsCondition: JsKernel = /* @__PURE__ */ Object.freeze({ kernel: KERNEL_ID, bind: (words: Words) => boundTo(words, { ...steps }) });
