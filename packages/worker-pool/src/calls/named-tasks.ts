// The functions of a task file by name, with their types.

import type { RunOptions } from '../api/run-options.ts';
import type { StreamOptions } from '../api/stream-options.ts';
import type { TaskStream } from './task-stream.ts';

type AnyFunction = (...parameters: never[]) => unknown;

/** The names of a module's exports that are functions. */
export type TaskNames<Tasks> = {
  [Name in keyof Tasks]-?: Tasks[Name] extends AnyFunction ? Name : never;
}[keyof Tasks] &
  string;

/** The input of a task that runs this function. */
export type InputOf<Function> = Function extends (...parameters: infer Parameters) => unknown
  ? Parameters extends readonly []
    ? void
    : Parameters[0]
  : never;

/** The result of a task that runs this function. */
export type OutputOf<Function> = Function extends (...parameters: never[]) => infer Output ? Awaited<Output> : never;

type Options = Omit<RunOptions, 'name'>;

/** The part of a pool that `NamedTasks` uses. */
export interface TaskRunner {
  run(input: unknown, options: RunOptions): Promise<unknown>;
  tryRun(input: unknown, options: RunOptions): Promise<unknown> | undefined;
  map(inputs: Iterable<unknown> | AsyncIterable<unknown>, options: RunOptions): Promise<unknown[]>;
  stream(inputs: Iterable<unknown> | AsyncIterable<unknown>, options: StreamOptions): TaskStream<unknown>;
}

/** Runs the functions of a task file by name. `WorkerPool.functions` creates it. */
export class NamedTasks<Tasks> {
  readonly #runner: TaskRunner;
  readonly #options: Options;

  constructor(runner: TaskRunner, options: Options) {
    this.#runner = runner;
    this.#options = options;
  }

  /** Runs the function with that name, as `WorkerPool.run` does. */
  run<Name extends TaskNames<Tasks>>(
    name: Name,
    input: InputOf<Tasks[Name]>,
    options?: Options,
  ): Promise<OutputOf<Tasks[Name]>> {
    return this.#runner.run(input, { ...this.#options, ...options, name }) as Promise<OutputOf<Tasks[Name]>>;
  }

  /** Runs the function with that name, as `WorkerPool.tryRun` does. */
  tryRun<Name extends TaskNames<Tasks>>(
    name: Name,
    input: InputOf<Tasks[Name]>,
    options?: Options,
  ): Promise<OutputOf<Tasks[Name]>> | undefined {
    return this.#runner.tryRun(input, { ...this.#options, ...options, name }) as
      | Promise<OutputOf<Tasks[Name]>>
      | undefined;
  }

  /** Runs the function with that name for each input, as `WorkerPool.map` does. */
  map<Name extends TaskNames<Tasks>>(
    name: Name,
    inputs: Iterable<InputOf<Tasks[Name]>> | AsyncIterable<InputOf<Tasks[Name]>>,
    options?: Options,
  ): Promise<OutputOf<Tasks[Name]>[]> {
    return this.#runner.map(inputs, { ...this.#options, ...options, name }) as Promise<OutputOf<Tasks[Name]>[]>;
  }

  /** Runs the function with that name for each input, as `WorkerPool.stream` does. */
  stream<Name extends TaskNames<Tasks>>(
    name: Name,
    inputs: Iterable<InputOf<Tasks[Name]>> | AsyncIterable<InputOf<Tasks[Name]>>,
    options?: Omit<StreamOptions, 'name'>,
  ): TaskStream<OutputOf<Tasks[Name]>> {
    return this.#runner.stream(inputs, { ...this.#options, ...options, name }) as TaskStream<OutputOf<Tasks[Name]>>;
  }
}
