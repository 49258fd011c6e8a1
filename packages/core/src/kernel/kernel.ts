// The kernel of one agent: the steps bound to one arena's memory. The core has a kernel, and each kind of primitive has
// one, too.
//
// A thread compiles each kernel's WebAssembly at most once. A handle carries the compiled modules, so a thread that
// opens handles compiles nothing.

import { isModule } from '../platform/realm.ts';
import type * as steps from './steps.ts';
import { unpack } from './unpack-wasm.ts';
import { KERNEL_ID, KERNEL_TEXT } from './wasm.generated.ts';
import type { Words } from './words.ts';

/** The core's steps. `AgentContext.load` adds the steps of a kind. */
export type Kernel = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };

/** A kernel as its package contains it. `Steps` is the type of the module's exports. */
export interface KernelSource<Steps extends object> {
  /** The package's entry, for example '@sluice/mutex'. */
  readonly entry: string;
  /** A hash of the code, and the contents of a custom section of the module. */
  readonly id: string;
  /** The bytes, as the text that `unpack` reads. */
  readonly text: string;
  /** Steps of uncontended paths. Their callers catch the traps that damaged memory can cause. */
  readonly uncontended: readonly (keyof Steps & string)[];
}

/** The kernel that an agent runs: `wasm`, or `js` with `jsEngine`. */
export type Engine = 'wasm' | 'js';

/** The steps of a kind in TypeScript, for `JsEngine.with`. */
export interface JsKernel {
  /** The id of the build that they belong to. @internal */
  readonly kernel: string;
  /** Binds the steps to that memory. @internal */
  readonly bind: (words: Words) => object;
}

/** The kernel in TypeScript, from `sluice/js`. */
export interface JsEngine extends JsKernel {
  readonly name: 'js';
  /** Returns the engine with the steps of further kinds, for example `jsMutex` from `sluice/js`. */
  with(...kernels: readonly JsKernel[]): JsEngine;
  /** The kernels of these kinds by their id. @internal */
  readonly kinds: ReadonlyMap<string, JsKernel>;
}

/** Compiled kernels by their id, a hash of their bytes. A module of another build has another id and is ignored. */
export type KernelModules = Readonly<Record<string, object>>;

const CORE: KernelSource<Kernel> = { entry: '@sluice/core', id: KERNEL_ID, text: KERNEL_TEXT, uncontended: [] };

/** The modules that this thread has compiled or received. */
const compiled = new Map<string, WebAssembly.Module>();
/** Records for handles, by the ids of their modules. */
const shown = new Map<string, KernelModules>();
/** The modules of the handle that this thread opened last. */
let received: unknown;

/**
 * Returns this thread's modules of the core and of the kernel `id`, by their ids, for a handle. Returns `undefined` if
 * the thread has none.
 */
export function kernelModules(id = KERNEL_ID): KernelModules | undefined {
  const known = shown.get(id);
  if (known !== undefined) return known;
  const modules = [...compiled].filter(([each]) => each === KERNEL_ID || each === id);
  if (modules.length === 0) return undefined;
  const record = Object.freeze(Object.fromEntries(modules));
  shown.set(id, record);
  return record;
}

/** Returns this thread's module with that id. */
export function kernelModule(id: string): object | undefined {
  return compiled.get(id);
}

/** Remembers the modules of a handle for the kernels that are bound next. */
export function receiveModules(modules: unknown): void {
  received = modules;
}

/**
 * Returns the core's steps in WebAssembly. Throws the platform's error if the platform refuses to compile, for example
 * because of a Content Security Policy.
 */
export function wasmKernel(memory: WebAssembly.Memory): Kernel {
  return wasmSteps(CORE, memory);
}

/** Returns the steps of `source` in WebAssembly. Throws as `wasmKernel` does. */
export function wasmSteps<Steps extends object>(source: KernelSource<Steps>, memory: WebAssembly.Memory): Steps {
  // The engine has no types for exports; differential tests check that they equal the steps in TypeScript. The result
  // is a copy, because AgentContext.refuseSteps and catchTraps replace functions of it.
  return { ...(stepsOfHandle(source, memory) ?? ownSteps(source, memory)) } as unknown as Steps;
}

/** Compiles the kernel, at most once in a thread. */
function ownSteps({ id, text }: KernelSource<never>, memory: WebAssembly.Memory): WebAssembly.Exports {
  const known = compiled.get(id);
  const module = known ?? new WebAssembly.Module(unpack(text));
  if (known === undefined) keep(id, module);
  return stepsIn(module, memory);
}

/**
 * Binds the module of a handle. Returns `undefined` if this thread already has a module, or if the handle brings no
 * valid one. A module that only claims to be a kernel must not become this thread's module: no later arena could be
 * opened.
 */
function stepsOfHandle({ id }: KernelSource<never>, memory: WebAssembly.Memory): WebAssembly.Exports | undefined {
  const module = compiled.has(id) ? undefined : (received as Record<string, unknown> | null | undefined)?.[id];
  if (kernelIdOf(module) !== id) return undefined;
  try {
    const steps = stepsIn(module as WebAssembly.Module, memory);
    if (!Object.values(steps).some((step) => typeof step === 'function')) return undefined;
    keep(id, module as WebAssembly.Module);
    return steps;
  } catch {
    return undefined;
  }
}

function keep(id: string, module: WebAssembly.Module): void {
  compiled.set(id, module);
  shown.delete(id);
}

function stepsIn(module: WebAssembly.Module, memory: WebAssembly.Memory): WebAssembly.Exports {
  return new WebAssembly.Instance(module, { env: { memory } }).exports;
}

/** Returns the core's steps in TypeScript. */
export function jsKernel(engine: JsEngine, words: Words): Kernel {
  return engine.bind(words) as Kernel;
}

/** Whether `engine` is the `jsEngine` of this build. */
export function isJsEngine(engine: unknown): engine is JsEngine {
  return (engine as Partial<JsEngine> | null)?.kernel === KERNEL_ID;
}

/** The custom section that holds a kernel's id. */
const SECTION = 'sluice';

/** Returns the id in a compiled kernel of any package. Returns `undefined` if `value` is something else. */
export function kernelIdOf(value: unknown): string | undefined {
  if (!isModule(value)) return undefined;
  const [section] = WebAssembly.Module.customSections(value as WebAssembly.Module, SECTION);
  return section === undefined ? undefined : String.fromCharCode(...new Uint8Array(section));
}
