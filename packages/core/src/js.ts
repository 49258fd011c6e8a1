// The entry '@sluice/core/js': `jsEngine`, the core's kernel in TypeScript. Packages add the steps of their own kinds.

import type { JsEngine, JsKernel } from './kernel/kernel.ts';
import { referenceKernel } from './kernel/reference.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

export type { JsEngine, JsKernel } from './kernel/kernel.ts';
/** For the other packages, which bind their steps to the same copy of the words. @internal */
export { boundTo, type Words } from './kernel/words.ts';

/**
 * The kernel in TypeScript with the steps of `Semaphore`, for the `engine` option of `Arena.create` and `Arena.from`.
 * Use it where a page's policy forbids WebAssembly. `jsEngine` of `sluice/js` has the steps of all kinds.
 *
 * It performs the same steps on the same memory, so agents with either kernel work together. It is slower. A worker
 * that is killed during a step can leave the step half done, so do not use it in workers that may be terminated.
 *
 * ```ts run
 * import { Arena, Semaphore } from '@sluice/core';
 * import { jsEngine } from '@sluice/core/js';
 *
 * const arena = Arena.create({ engine: jsEngine });
 * console.log(arena.engine, Semaphore.create(1, { arena }).available); // js 1
 * ```
 */
export const jsEngine: JsEngine = /* @__PURE__ */ engineWith([]);

function engineWith(kernels: readonly JsKernel[]): JsEngine {
  return Object.freeze({
    name: 'js',
    kernel: KERNEL_ID,
    bind: referenceKernel,
    kinds: new Map(kernels.map((kernel) => [kernel.kernel, kernel])),
    with: (...more: readonly JsKernel[]) => engineWith([...kernels, ...more]),
  });
}
