// Finding the functions that tasks run, in a worker.

import { pathToFileURL } from 'node:url';
import { TaskFileError } from './errors.ts';
import type { TaskContext } from './context.ts';

export type TaskFunction = (task: never, context: TaskContext) => unknown;

/** The functions of a worker, each file loaded once. */
export class Functions {
  readonly #found = new Map<string, Promise<TaskFunction>>();

  /** Rejects with `TaskFileError`. */
  find(filename: string, name: string): Promise<TaskFunction> {
    const key = `${name} ${filename}`;
    let found = this.#found.get(key);
    if (found === undefined) {
      found = load(filename, name);
      this.#found.set(key, found);
    }
    return found;
  }
}

async function load(filename: string, name: string): Promise<TaskFunction> {
  const exports = await importFile(filename);
  const found = name === 'default' ? defaultOf(exports) : (exports[name] ?? (exports['default'] as typeof exports | undefined)?.[name]);
  if (typeof found === 'function') return found as TaskFunction;
  throw new TaskFileError(`${filename} exports no function ${name}: found ${found === undefined ? 'nothing' : typeof found}.`);
}

async function importFile(filename: string): Promise<Record<string, unknown>> {
  try {
    return await importUrl(/^[a-z][a-z+.-]+:/i.test(filename) ? filename : pathToFileURL(filename).href);
  } catch (cause) {
    throw new TaskFileError(`${filename} cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** The comments tell bundlers to leave the import as it is. The build keeps them only before a plain name. */
function importUrl(url: string): Promise<Record<string, unknown>> {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ url) as Promise<Record<string, unknown>>;
}

/** What a CommonJS file exports as a whole, what a transpiled one exports as `default`. */
function defaultOf(exports: Record<string, unknown>): unknown {
  const whole = exports['default'] as { readonly default?: unknown } | null | undefined;
  return typeof whole === 'object' && typeof whole?.default === 'function' ? whole.default : whole;
}
