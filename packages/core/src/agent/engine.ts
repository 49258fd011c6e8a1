// Selects the kernel that an agent runs: the steps of the core and of kinds, in WebAssembly or in TypeScript.

import { show } from '../api/check.ts';
import { MisuseError } from '../api/errors.ts';
import {
  isJsEngine,
  jsKernel,
  wasmKernel,
  wasmSteps,
  type JsEngine,
  type Kernel,
  type KernelSource,
} from '../kernel/kernel.ts';
import type { AtomicWords } from '../kernel/words.ts';
import type { Binder } from './loaded-kinds.ts';
import { catchTraps, UNCONTENDED } from '../memory/traps.ts';

/** Throws `TypeError` if an `engine` option is neither `undefined` nor `jsEngine`. */
export function checkEngine(engine: unknown): void {
  if (engine === undefined || isJsEngine(engine)) return;
  throw new TypeError(`The engine must be jsEngine from 'sluice/js' of the same version: received ${show(engine)}`);
}

/** Returns the core's steps. Throws `MisuseError` if the platform refuses WebAssembly. */
export function chooseKernel(engine: JsEngine | undefined, memory: WebAssembly.Memory, words: AtomicWords): Kernel {
  if (engine !== undefined) return jsKernel(engine, words);
  try {
    return catchTraps(wasmKernel(memory), UNCONTENDED, '@sluice/core');
  } catch (cause) {
    throw new MisuseError(
      `WebAssembly was refused: ${String(cause)}. No arena was opened. Run the kernel in TypeScript: ` +
        "import { jsEngine } from 'sluice/js', then Arena.create({ engine: jsEngine }) or Arena.from(handle, { engine: jsEngine }).",
      { cause },
    );
  }
}

/** Returns the function that binds the steps of kinds to the arena's memory. */
export function binderFor(engine: JsEngine | undefined, memory: WebAssembly.Memory, words: AtomicWords): Binder {
  return (source) =>
    engine === undefined
      ? catchTraps(wasmSteps(source, memory), source.uncontended, source.entry)
      : jsSteps(engine, source, words);
}

function jsSteps<Steps extends object>(
  { kinds }: JsEngine,
  { id, entry }: KernelSource<Steps>,
  words: AtomicWords,
): Steps {
  const kernel = kinds.get(id);
  if (kernel !== undefined) return kernel.bind(words) as Steps;
  throw new MisuseError(
    `This agent runs the kernel in TypeScript, which has no steps of ${entry}. Nothing was made. Open the arena with an engine that has them: ` +
      "import { jsEngine } from 'sluice/js', then Arena.create({ engine: jsEngine }) or Arena.from(handle, { engine: jsEngine }).",
  );
}
