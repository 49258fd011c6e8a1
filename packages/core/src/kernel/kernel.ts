// The kernel of one agent: the steps bound to one arena's memory.
//
// A thread compiles the WebAssembly at most once. A handle carries the compiled module, so a thread that opens a handle first compiles nothing.

import { asCorrupt } from '../arena/corrupt.ts';
import type * as steps from './steps.ts';
import { unpack } from './unpack.ts';
import { KERNEL_ID, KERNEL_TEXT } from './wasm.generated.ts';
import type { Words } from './words.ts';

export type Kernel = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };

/** Which kernel an agent runs: `wasm`, or `js` with `jsEngine`. */
export type Engine = 'wasm' | 'js';

/** The kernel in TypeScript, from `@sluice/core/js`. */
export interface JsEngine {
  readonly name: 'js';
  /** The build that it belongs to. @internal */
  readonly kernel: string;
  /** @internal */
  readonly bind: (words: Words) => Kernel;
}

/** Compiled kernels by their id, a hash of their bytes: a module of another build has another id and is ignored. */
export type KernelModules = Readonly<Record<string, object>>;

let compiled: WebAssembly.Module | undefined;

/** This thread's module, under its id. `undefined`: the thread has compiled and received none. */
export function kernelModules(): KernelModules | undefined {
  return compiled === undefined ? undefined : { [KERNEL_ID]: compiled };
}

/**
 * The steps in WebAssembly. `received`: the `modules` of a handle, if any. Throws what the platform throws where it refuses to compile, for
 * example because of a Content Security Policy.
 */
export function wasmKernel(memory: WebAssembly.Memory, received?: unknown): Kernel {
  // The engine has no types for exports; the differential test holds them equal to the reference kernel's.
  // A copy: the functions are exchanged when the agent leaves its arena (AgentContext.retire).
  const kernel = { ...(stepsOfHandle(memory, received) ?? ownSteps(memory)) } as unknown as Record<keyof Kernel, Step>;
  for (const name of Object.keys(kernel) as (keyof Kernel)[]) if (!UNCONTENDED.has(name)) kernel[name] = trapsAsCorrupt(kernel[name]);
  return kernel;
}

/** Compiles once in a thread. */
function ownSteps(memory: WebAssembly.Memory): WebAssembly.Exports {
  compiled ??= new WebAssembly.Module(unpack(KERNEL_TEXT));
  return stepsIn(compiled, memory);
}

/**
 * `undefined`: this thread has a module, the handle brings none, or it brings one that is no kernel although it says so. That one must not
 * become this thread's module: no later arena could be opened.
 */
function stepsOfHandle(memory: WebAssembly.Memory, received: unknown): WebAssembly.Exports | undefined {
  const module = compiled === undefined ? moduleIn(received) : undefined;
  if (module === undefined) return undefined;
  try {
    const steps = stepsIn(module, memory);
    for (const name of UNCONTENDED) if (typeof steps[name] !== 'function') return undefined;
    compiled = module;
    return steps;
  } catch {
    return undefined;
  }
}

function stepsIn(module: WebAssembly.Module, memory: WebAssembly.Memory): WebAssembly.Exports {
  return new WebAssembly.Instance(module, { env: { memory } }).exports;
}

type Step = (...args: number[]) => number;

/**
 * Steps of uncontended paths. A wrapper around them would cost 10 %; their callers catch traps themselves where a damaged memory can lead to
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

/** A damaged address leads to an access beyond the memory, at which WebAssembly traps. */
function trapsAsCorrupt(step: Step): Step {
  return (...args) => {
    try {
      return step(...args);
    } catch (failure) {
      throw asCorrupt(failure);
    }
  };
}

/** The steps of `engine`. */
export function jsKernel(engine: JsEngine, words: Words): Kernel {
  return engine.bind(words);
}

/** Whether it is `jsEngine` of this build. */
export function isJsEngine(engine: unknown): engine is JsEngine {
  return (engine as Partial<JsEngine> | null)?.kernel === KERNEL_ID;
}

/** The id of a compiled kernel of this build. `undefined`: it is something else. */
export function kernelIdOf(value: unknown): string | undefined {
  return value instanceof WebAssembly.Module && WebAssembly.Module.customSections(value, KERNEL_ID).length > 0 ? KERNEL_ID : undefined;
}

/** `undefined` where the handle brings no module of this build, for example because JSON carried it. */
function moduleIn(received: unknown): WebAssembly.Module | undefined {
  const module = (received as Record<string, unknown> | null | undefined)?.[KERNEL_ID];
  return kernelIdOf(module) === undefined ? undefined : (module as WebAssembly.Module);
}
