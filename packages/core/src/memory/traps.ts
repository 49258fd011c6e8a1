// Handles traps: a damaged address makes a kernel step access bytes beyond the memory. WebAssembly then throws a
// RuntimeError.

import type { Kernel } from '../kernel/kernel.ts';
import { asCorrupt } from './corrupt.ts';

type Step = (...args: number[]) => number;

/** The maximum number of parameters of a wrapped step. Further ones would be dropped. */
export const MAX_PARAMETERS = 6;

/** Maps each wrapper to the step inside. */
const inside = new WeakMap<object, Step>();

/**
 * Steps of uncontended paths have no wrapper, which would cost 10 %. Their callers catch traps themselves where damaged
 * memory can cause one (`asCorrupt`).
 */
export const UNCONTENDED: readonly string[] = [
  ...(['acquire', 'tryAcquire', 'release', 'balance'] as const),
] satisfies (keyof Kernel)[];

/**
 * Wraps the contended steps of `kernel` in place, so that a trap throws `CorruptArenaError`, which names the package
 * `entry`.
 */
export function catchTraps<Steps extends object>(kernel: Steps, uncontended: readonly string[], entry: string): Steps {
  const steps = kernel as Record<string, Step>;
  for (const [name, step] of Object.entries(steps)) {
    if (uncontended.includes(name)) continue;
    if (step.length > MAX_PARAMETERS)
      throw new RangeError(
        `The step ${name} has ${step.length} parameters, and at most ${MAX_PARAMETERS} are passed on.`,
      );
    steps[name] = trapsAsCorrupt(step, entry);
  }
  return kernel;
}

/** Returns a copy of `steps` in which those steps have no wrapper. For wait loops, which catch traps themselves. */
export function untrapped<Steps extends object>(steps: Steps, names: readonly (keyof Steps)[]): Steps {
  const bare = { ...steps };
  for (const name of names) bare[name] = (inside.get(steps[name] as object) ?? steps[name]) as Steps[typeof name];
  return bare;
}

function trapsAsCorrupt(step: Step, entry: string): Step {
  // Pass the parameters one by one: before compilation, a call that spreads rest parameters costs several times as
  // much. WebAssembly ignores further arguments.
  const wrapped = (a: number, b: number, c: number, d: number, e: number, f: number): number => {
    try {
      return step(a, b, c, d, e, f);
    } catch (failure) {
      throw asCorrupt(failure, `a primitive of ${entry}`);
    }
  };
  inside.set(wrapped, step);
  return wrapped;
}
