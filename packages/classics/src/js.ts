// The entry '@sluice/classics/js': the kernel of these locks in TypeScript.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

/**
 * The steps of the locks of this package in TypeScript, for an agent that runs `jsEngine`.
 *
 * ```ts run
 * import { Arena } from '@sluice/core';
 * import { jsEngine } from '@sluice/core/js';
 * import { TtsLock } from '@sluice/classics';
 * import { jsClassics } from '@sluice/classics/js';
 *
 * const arena = Arena.create({ engine: jsEngine.with(jsClassics) });
 * console.log(TtsLock.create({ arena }).tryLock()); // true
 * ```
 */
export const jsClassics: JsKernel = /* @__PURE__ */ Object.freeze({ kernel: KERNEL_ID, bind: (words: Words) => boundTo(words, { ...steps }) });
