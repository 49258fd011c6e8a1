// What a task can ask while it runs, and how it hands over what is not to be copied.

import type { Board } from './board.ts';

/** Given to the task's function as its second argument. */
export interface TaskContext {
  /** Whether the task was aborted or timed out: for loops that do not await. A look at shared memory. */
  readonly aborted: boolean;
  /** Aborted with the task, once the worker's event loop turns. */
  readonly signal: AbortSignal;
  /** Number of the worker in its pool, from 1: never another worker's. */
  readonly workerId: number;
}

export class Context implements TaskContext {
  readonly #board: Board;
  readonly #slot: number;
  readonly workerId: number;
  #controller: AbortController | undefined;

  constructor(board: Board, slot: number, workerId: number) {
    this.workerId = workerId;
    this.#board = board;
    this.#slot = slot;
  }

  get aborted(): boolean {
    return this.#board.isStopped(this.#slot);
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.aborted) this.abort();
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller?.abort();
  }
}

/** Not by `instanceof`: the pool's side and the workers' are bundled apart. */
const MOVED = Symbol.for('sluice.moved');

class Moved {
  readonly [MOVED] = true;
  readonly value: unknown;
  readonly transferList: readonly object[];

  constructor(value: unknown, transferList: readonly object[]) {
    this.value = value;
    this.transferList = transferList;
  }
}

/** For the result of a task: `value` is handed over with what it holds of `transferList`, instead of copied. */
export function move<T>(value: T, transferList: readonly object[]): T {
  return new Moved(value, transferList) as T;
}

export function movedOf(result: unknown): { readonly value: unknown; readonly transferList: readonly object[] } | undefined {
  return typeof result === 'object' && result !== null && MOVED in result ? (result as Moved) : undefined;
}
