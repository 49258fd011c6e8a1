import { ending, type Ending } from '../observe.ts';
import type { SteppedSemaphore } from '../types.ts';

export interface AbortableWait {
  readonly wait: Promise<void>;
  readonly abort: () => void;
  readonly ended: Promise<Ending>;
}

/** Begins a wait that a test can abort with `abort()`. Then `ended` has the reason. */
export function abortable(sem: Pick<SteppedSemaphore, 'acquireAsync'>, permits: number): AbortableWait {
  const controller = new AbortController();
  const wait = sem.acquireAsync(permits, { signal: controller.signal });
  return { wait, abort: () => controller.abort(new Error('given up')), ended: ending(wait) };
}
