// The entry '@sluice/event/js': the kernel of this package in TypeScript.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

/**
 * The steps of `ManualResetEvent`, `Once` and `Lazy` in TypeScript, for an agent that runs `jsEngine`. Those of `AutoResetEvent` are in
 * `@sluice/auto-reset-event/js`.
 *
 * ```ts run
 * import { Arena } from '@sluice/core';
 * import { jsEngine } from '@sluice/core/js';
 * import { ManualResetEvent } from '@sluice/event';
 * import { jsEvent } from '@sluice/event/js';
 *
 * const arena = Arena.create({ engine: jsEngine.with(jsEvent) });
 * console.log(ManualResetEvent.create({ arena }).tryWait()); // false
 * ```
 */
export const jsEvent: JsKernel = /* @__PURE__ */ Object.freeze({ kernel: KERNEL_ID, bind: (words: Words) => boundTo(words, { ...steps }) });
