// Finds the functions that tasks run, in a worker.

import { messageOf } from '@sluice/core/calls';
import { extname } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { TaskFileError } from '../api/errors.ts';
import { turn } from '../platform/timers.ts';
import type { TaskContext } from './context.ts';

const MAX_NAMES = 8;

export type PoolFunction = (task: never, context: TaskContext) => unknown;

interface Found {
  readonly run: Promise<PoolFunction>;
  /** Rejects a load that never ends; `undefined` after the end of the load. */
  giveUp: (() => void) | undefined;
}

/**
 * The functions of a worker. Each file is loaded once.
 *
 * If the event loop runs out of work during a load, the load can never end, and it fails. For this to work, the worker
 * must not keep its event loop alive while all its tasks wait for loads.
 */
export class Functions {
  /** By file, then by name. Both may contain any character, so they are not joined into one key. */
  readonly #found = new Map<string, Map<string, Found>>();
  readonly #onWaiting: () => void;
  #waiting = 0;

  /** Calls `onWaiting` after each change of `waiting`. */
  constructor(onWaiting: () => void) {
    this.#onWaiting = onWaiting;
    process.on('beforeExit', () => {
      for (const ofFile of this.#found.values()) for (const { giveUp } of ofFile.values()) giveUp?.();
    });
  }

  /** The number of calls of `find` that wait for a load. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Resolves with the function of this name in the file. Rejects with `TaskFileError`. */
  find(filename: string, name: string): Promise<PoolFunction> {
    const ofFile = this.#found.get(filename) ?? new Map<string, Found>();
    const known = ofFile.get(name);
    if (known?.giveUp === undefined && known !== undefined) return known.run;
    const found = known ?? this.#load(filename, name);
    this.#found.set(filename, ofFile.set(name, found));
    this.#wait(1);
    const end = (): void => this.#wait(-1);
    found.run.then(end, end);
    return found.run;
  }

  #wait(change: 1 | -1): void {
    this.#waiting += change;
    this.#onWaiting();
  }

  #load(filename: string, name: string): Found {
    const found: { run?: Promise<PoolFunction>; giveUp: Found['giveUp'] } = { giveUp: undefined };
    found.run = new Promise<PoolFunction>((resolve, reject) => {
      found.giveUp = () =>
        reject(new TaskFileError(`${filename} cannot be loaded: it waits for something that never comes.`));
      load(filename, name).then(resolve, reject);
    });
    const end = (): void => (found.giveUp = undefined);
    found.run.then(end, end);
    return found as Found;
  }
}

async function load(filename: string, name: string): Promise<PoolFunction> {
  const exports = await loadFile(filename, async () => {
    const all = await loadExports(filename);
    // An export may be a promise.
    const parts = { all, whole: await all['default'], named: await all[name] };
    // An unhandled rejection of the file ends the worker in this turn of the event loop, before it runs a task.
    await turn();
    return parts;
  });
  const { all, whole, named } = exports;
  const found =
    name === 'default' ? await defaultOf(whole) : (named ?? (await (whole as Exports | null | undefined)?.[name]));
  if (typeof found === 'function') return found as PoolFunction;
  throw new TaskFileError(
    `${filename} exports no function ${name}: found ${found === undefined ? 'nothing' : typeof found}.${advice(all)}`,
  );
}

/** Names the functions of the file, for the error of a task whose `name` is missing or wrong. */
function advice(all: Exports): string {
  const names = Object.keys(all).filter((name) => name !== 'default' && typeof all[name] === 'function');
  return names.length === 0 ? '' : ` The option "name" can choose ${names.slice(0, MAX_NAMES).join(', ')}.`;
}

type Exports = Record<string, unknown>;

async function loadFile<T>(filename: string, how: () => Promise<T>): Promise<T> {
  try {
    return await how();
  } catch (cause) {
    throw new TaskFileError(`${filename} cannot be loaded: ${messageOf(cause)}`, { cause });
  }
}

async function loadExports(filename: string): Promise<Exports> {
  if (/^[a-z][a-z+.-]+:/i.test(filename)) return importUrl(filename);
  const required = requireFile(filename);
  if (required !== undefined) return required;
  return importUrl(pathToFileURL(filename).href);
}

/** The comments make bundlers leave the import as it is. The build keeps them only before a plain name. */
function importUrl(url: string): Promise<Exports> {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ url) as Promise<Exports>;
}

/** The extensions that `import` loads. For these files `import` itself calls the hooks of `require`. */
const IMPORTED: readonly string[] = ['.js', '.cjs', '.mjs', '.json', '.node', '.wasm', ''];
/** The codes of errors for a file that is a module, and that no hook converted to CommonJS. */
const IS_MODULE: readonly unknown[] = ['ERR_REQUIRE_ESM', 'ERR_REQUIRE_ASYNC_MODULE'];

/**
 * Loads a file that only a hook of `require` can load (`--require`), such as TypeScript. Returns `undefined` if
 * `import` is to load it.
 */
function requireFile(filename: string): Exports | undefined {
  // Not by an import of `createRequire`: webpack would resolve the file that is required.
  const require = process.getBuiltinModule('node:module').createRequire(filename);
  const extension = extname(filename);
  if (IMPORTED.includes(extension) || !(extension in extensionsOf(require))) return undefined;
  try {
    const exports: unknown = require(filename);
    return { ...(typeof exports === 'object' ? exports : undefined), default: exports };
  } catch (failure) {
    if (IS_MODULE.includes((failure as { readonly code?: unknown }).code)) return undefined;
    throw failure;
  }
}

/** `require.extensions` is deprecated for adding hooks, but there is no other list of hooks. */
function extensionsOf(require: NodeJS.Require): object {
  return (require as unknown as { readonly extensions: object }).extensions;
}

/** Returns the export of a CommonJS file, or its `default` if the file was transpiled from a module. */
function defaultOf(whole: unknown): unknown {
  const inner = whole as { readonly default?: unknown } | null | undefined;
  return typeof inner === 'object' && inner?.default !== undefined ? inner.default : whole;
}
