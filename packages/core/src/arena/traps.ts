// A damaged address leads a kernel step to an access beyond the memory, at which WebAssembly traps with a RuntimeError.

import type { Kernel } from '../kernel/kernel.ts';
import { asCorrupt } from './corrupt.ts';

type Step = (...args: number[]) => number;

/**
 * Steps of uncontended paths. A wrapper around them would cost 10 %. Their callers catch traps themselves where damaged memory can lead to
 * one (`asCorrupt`).
 */
export const UNCONTENDED: readonly string[] = [
  ...(['acquire', 'tryAcquire', 'release', 'balance'] as const),
  ...(['lock', 'unlock'] as const),
  ...(['enterSide', 'countUnits', 'commit'] as const),
  ...(['depart', 'isEmpty', 'arriveInLane', 'tryArriveInLane', 'pause', 'resume'] as const),
] satisfies (keyof Kernel)[];

/** The same steps, but a trap in a contended one throws `CorruptArenaError`. Changes `kernel` itself. */
export function catchTraps<Steps extends object>(kernel: Steps, uncontended: readonly string[]): Steps {
  const steps = kernel as Record<string, Step>;
  for (const [name, step] of Object.entries(steps)) if (!uncontended.includes(name)) steps[name] = trapsAsCorrupt(step);
  return kernel;
}

function trapsAsCorrupt(step: Step): Step {
  return (...args) => {
    try {
      return step(...args);
    } catch (failure) {
      throw asCorrupt(failure);
    }
  };
}
