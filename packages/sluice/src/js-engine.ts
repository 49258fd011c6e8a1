// The kernel in TypeScript with the steps of every package here.

import { jsAutoResetEvent } from '@sluice/auto-reset-event/js';
import { jsBarrier } from '@sluice/barrier/js';
import { jsBoundedBuffer } from '@sluice/bounded-buffer/js';
import { jsBroadcast, jsWatch } from '@sluice/broadcast/js';
import { jsCapacitor } from '@sluice/capacitor/js';
import type { JsEngine } from '@sluice/core';
import { jsEngine as coreEngine } from '@sluice/core/js';
import { jsEvent } from '@sluice/event/js';
import { jsLimit, jsRateLimit } from '@sluice/limit/js';
import { jsLocks } from '@sluice/locks/js';
import { jsCondition, jsMutex } from '@sluice/mutex/js';
import { jsRwLock } from '@sluice/rw-lock/js';
import { jsSemaphores } from '@sluice/semaphores/js';
import { jsSeqLock } from '@sluice/seq-lock/js';

/**
 * The kernel in TypeScript for all primitives of this package: the `engine` option of `Arena.create` and `Arena.from` where a page's policy
 * forbids WebAssembly.
 *
 * ```ts run
 * import { Arena, jsEngine, Mutex } from 'sluice';
 *
 * const arena = Arena.create({ engine: jsEngine });
 * console.log(arena.engine, Mutex.create({ arena }).tryLock()); // js true
 * ```
 */
export const jsEngine: JsEngine = /* @__PURE__ */ coreEngine.with(
  jsAutoResetEvent,
  jsBarrier,
  jsBoundedBuffer,
  jsBroadcast,
  jsCapacitor,
  jsCondition,
  jsEvent,
  jsLimit,
  jsLocks,
  jsMutex,
  jsRateLimit,
  jsRwLock,
  jsSemaphores,
  jsSeqLock,
  jsWatch,
);
