// A damaged address leads a kernel step to an access beyond the memory, at which WebAssembly traps with a RuntimeError.

import type { Kernel } from '../kernel/kernel.ts';
import { asCorrupt } from './corrupt.ts';

type Step = (...args: number[]) => number;

/**
 * Steps of uncontended paths. A wrapper around them would cost 10 %. Their callers catch traps themselves where damaged memory can lead to
 * one (`asCorrupt`).
 */
const UNCONTENDED = new Set<keyof Kernel>([
  ...(['acquire', 'tryAcquire', 'release', 'releaseBlindly', 'balance'] as const),
  ...(['lock', 'unlock', 'relock', 'unrelock', 'lockTicket', 'unlockTicket', 'lockTts', 'unlockTts'] as const),
  ...(['lockReader', 'unlockReader', 'lockWriter', 'unlockWriter'] as const),
  ...(['signal', 'consume', 'enterSide', 'countUnits', 'commit'] as const),
  ...(['depart', 'isEmpty', 'arriveInLane', 'tryArriveInLane', 'pause', 'resume'] as const),
  ...(['boxTake', 'boxRelease', 'giveTokens', 'takeTokens', 'enterLane', 'tryEnterLane', 'postToLanes'] as const),
]);

/** The same kernel, but a trap in a contended step throws `CorruptArenaError`. Changes `kernel` itself. */
export function catchTraps(kernel: Kernel): Kernel {
  const steps = kernel as Record<keyof Kernel, Step>;
  for (const name of Object.keys(steps) as (keyof Kernel)[]) if (!UNCONTENDED.has(name)) steps[name] = trapsAsCorrupt(steps[name]);
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
