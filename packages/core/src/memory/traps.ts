// A damaged address leads a kernel step to an access beyond the memory, at which WebAssembly traps with a RuntimeError.

import type { Kernel } from '../kernel/kernel.ts';
import { asCorrupt } from './corrupt.ts';

type Step = (...args: number[]) => number;

/** The most parameters that a step in a wrapper has. Further ones would be dropped. */
export const MOST_PARAMETERS = 6;

/** The steps inside their wrappers. */
const inside = new WeakMap<object, Step>();

/**
 * Steps of uncontended paths. A wrapper around them would cost 10 %. Their callers catch traps themselves where damaged
 * memory can lead to one (`asCorrupt`).
 */
export const UNCONTENDED: readonly string[] = [
  ...(['acquire', 'tryAcquire', 'release', 'balance'] as const),
] satisfies (keyof Kernel)[];

/**
 * The same steps, but a trap in a contended one throws `CorruptArenaError`, which names the package `entry`. Changes
 * `kernel` itself.
 */
export function catchTraps<Steps extends object>(kernel: Steps, uncontended: readonly string[], entry: string): Steps {
  const steps = kernel as Record<string, Step>;
  for (const [name, step] of Object.entries(steps)) {
    if (uncontended.includes(name)) continue;
    if (step.length > MOST_PARAMETERS)
      throw new RangeError(
        `The step ${name} has ${step.length} parameters, and at most ${MOST_PARAMETERS} are passed on.`,
      );
    steps[name] = trapsAsCorrupt(step, entry);
  }
  return kernel;
}

/** A copy of `steps` in which those steps have no wrapper, for wait loops, which catch traps themselves. */
export function untrapped<Steps extends object>(steps: Steps, names: readonly (keyof Steps)[]): Steps {
  const bare = { ...steps };
  for (const name of names) bare[name] = (inside.get(steps[name] as object) ?? steps[name]) as Steps[typeof name];
  return bare;
}

function trapsAsCorrupt(step: Step, entry: string): Step {
  // Parameters one by one: before it is compiled, a call that spreads rest parameters costs several times as much.
  // WebAssembly ignores further arguments.
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
