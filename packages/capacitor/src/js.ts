// The entry '@sluice/capacitor/js': the kernel of gates in TypeScript.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

/**
 * The steps of `Capacitor`, `LanedCapacitor` and `Turnstile` in TypeScript, for an agent that runs `jsEngine`.
 *
 * ```ts run
 * import { Capacitor } from '@sluice/capacitor';
 * import { jsCapacitor } from '@sluice/capacitor/js';
 * import { Arena } from '@sluice/core';
 * import { jsEngine } from '@sluice/core/js';
 *
 * const arena = Arena.create({ engine: jsEngine.with(jsCapacitor) });
 * console.log(Capacitor.create({ arena }).tryArrive()); // true
 * ```
 */
export const jsCapacitor: JsKernel = /* @__PURE__ */ Object.freeze({ kernel: KERNEL_ID, bind: (words: Words) => boundTo(words, { ...steps }) });
