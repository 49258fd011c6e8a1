// A damaged address leads a kernel step to an access beyond the memory, at which WebAssembly traps with a RuntimeError.

import type { Kernel } from '../kernel/kernel.ts';
import type { LineSteps } from '../kind.ts';
import { asCorrupt } from './corrupt.ts';

type Step = (...args: number[]) => number;

/** The steps inside their wrappers. */
const inside = new WeakMap<object, Step>();

/**
 * Steps of uncontended paths, and of the path to a sleep. A wrapper around them would cost 10 %. Their callers catch traps themselves where
 * damaged memory can lead to one (`asCorrupt`).
 */
export const UNCONTENDED: readonly string[] = [
  ...(['acquire', 'tryAcquire', 'release', 'releaseBlindly', 'balance'] as const),
  ...(['lock', 'unlock'] as const),
  ...(['link', 'distance'] as const),
  ...(['enterSide', 'countUnits', 'commit'] as const),
  ...(['depart', 'isEmpty', 'arriveInLane', 'tryArriveInLane', 'pause', 'resume'] as const),
  ...(['boxTake', 'boxRelease', 'giveTokens', 'takeTokens', 'enterLane', 'tryEnterLane', 'postToLanes'] as const),
] satisfies (keyof Kernel)[];

/** The same steps, but a trap in a contended one throws `CorruptArenaError`. Changes `kernel` itself. */
export function catchTraps<Steps extends object>(kernel: Steps, uncontended: readonly string[]): Steps {
  const steps = kernel as Record<string, Step>;
  for (const [name, step] of Object.entries(steps)) if (!uncontended.includes(name)) steps[name] = trapsAsCorrupt(step);
  return kernel;
}

/** The same steps without the wrappers of `catchTraps`: the wait loops catch traps themselves. */
export function untrapped<Line extends LineSteps>(line: Line): Line {
  return { ...line, poll: inner(line.poll), park: inner(line.park), cancel: inner(line.cancel) };
}

function inner<Wrapped extends Step>(step: Wrapped): Wrapped {
  return (inside.get(step) ?? step) as Wrapped;
}

function trapsAsCorrupt(step: Step): Step {
  // Without rest parameters: a call that spreads them costs twice as much before it is compiled. WebAssembly ignores further arguments.
  const wrapped = (a: number, b: number, c: number, d: number, e: number, f: number): number => {
    try {
      return step(a, b, c, d, e, f);
    } catch (failure) {
      throw asCorrupt(failure);
    }
  };
  inside.set(wrapped, step);
  return wrapped as Step;
}
