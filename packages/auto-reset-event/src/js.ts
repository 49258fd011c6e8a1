// The entry '@sluice/auto-reset-event/js': the kernel of events in TypeScript.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

/**
 * The steps of `AutoResetEvent` in TypeScript, for an agent that runs `jsEngine`.
 *
 * ```ts run
 * import { Arena } from '@sluice/core';
 * import { jsEngine } from '@sluice/core/js';
 * import { AutoResetEvent } from '@sluice/auto-reset-event';
 * import { jsAutoResetEvent } from '@sluice/auto-reset-event/js';
 *
 * const arena = Arena.create({ engine: jsEngine.with(jsAutoResetEvent) });
 * console.log(AutoResetEvent.create({ arena }).tryWait()); // false
 * ```
 */
export const jsAutoResetEvent: JsKernel = /* @__PURE__ */ Object.freeze({ kernel: KERNEL_ID, bind: (words: Words) => boundTo(words, { ...steps }) });
