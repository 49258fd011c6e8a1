// The kernel of one agent: the steps bound to one arena's memory.
//
// A thread compiles the WebAssembly at most once. A handle carries the compiled module, so a thread that first opens a handle compiles
// nothing.

import type * as steps from './steps.ts';
import { unpack } from './unpack.ts';
import { KERNEL_ID, KERNEL_TEXT } from './wasm.generated.ts';
import type { Words } from './words.ts';

export type Kernel = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };

/** The kernel that an agent runs: `wasm`, or `js` with `jsEngine`. */
export type Engine = 'wasm' | 'js';

/** The kernel in TypeScript, from `@sluice/core/js`. */
export interface JsEngine {
  readonly name: 'js';
  /** The build that it belongs to. @internal */
  readonly kernel: string;
  /** @internal */
  readonly bind: (words: Words) => Kernel;
}

/** Compiled kernels by their id, a hash of their bytes. A module of another build has another id and is ignored. */
export type KernelModules = Readonly<Record<string, object>>;

let compiled: WebAssembly.Module | undefined;

/** This thread's module, under its id. `undefined`: the thread has neither compiled nor received one. */
export function kernelModules(): KernelModules | undefined {
  return compiled === undefined ? undefined : { [KERNEL_ID]: compiled };
}

/**
 * The steps in WebAssembly. `received`: the `modules` of a handle, if any. Throws what the platform throws if it refuses to compile, for
 * example because of a Content Security Policy.
 */
export function wasmKernel(memory: WebAssembly.Memory, received?: unknown): Kernel {
  // The engine has no types for exports; the differential test holds them equal to the reference kernel's.
  // A copy: AgentContext.retire and catchTraps replace functions of it.
  return { ...(stepsOfHandle(memory, received) ?? ownSteps(memory)) } as unknown as Kernel;
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
    if (typeof steps['acquire'] !== 'function' || typeof steps['walk'] !== 'function') return undefined;
    compiled = module;
    return steps;
  } catch {
    return undefined;
  }
}

function stepsIn(module: WebAssembly.Module, memory: WebAssembly.Memory): WebAssembly.Exports {
  return new WebAssembly.Instance(module, { env: { memory } }).exports;
}

export function jsKernel(engine: JsEngine, words: Words): Kernel {
  return engine.bind(words);
}

/** Whether `engine` is the `jsEngine` of this build. */
export function isJsEngine(engine: unknown): engine is JsEngine {
  return (engine as Partial<JsEngine> | null)?.kernel === KERNEL_ID;
}

/** The id of a compiled kernel of this build. `undefined`: `value` is something else. */
export function kernelIdOf(value: unknown): string | undefined {
  return value instanceof WebAssembly.Module && WebAssembly.Module.customSections(value, KERNEL_ID).length > 0 ? KERNEL_ID : undefined;
}

/** `undefined` if the handle carries no module of this build, for example because it passed through JSON. */
function moduleIn(received: unknown): WebAssembly.Module | undefined {
  const module = (received as Record<string, unknown> | null | undefined)?.[KERNEL_ID];
  return kernelIdOf(module) === undefined ? undefined : (module as WebAssembly.Module);
}
