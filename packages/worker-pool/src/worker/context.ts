// The context of a running task, and `move`, with which a task transfers its result instead of copying it.

import type { SlotTable } from '../shared/slot-table.ts';

/** Given to the task's function as its second argument. */
export interface TaskContext {
  /** Whether the task was aborted or timed out, for loops that do not await. Reads shared memory. */
  readonly aborted: boolean;
  /** Aborted with the task, at the next turn of the worker's event loop. */
  readonly signal: AbortSignal;
  /** The number of the worker in its pool, from 1. A replacement worker gets a new number. */
  readonly workerId: number;
}

export class Context implements TaskContext {
  readonly #slotTable: SlotTable;
  readonly #slot: number;
  readonly workerId: number;
  #controller: AbortController | undefined;

  constructor(slotTable: SlotTable, slot: number, workerId: number) {
    this.workerId = workerId;
    this.#slotTable = slotTable;
    this.#slot = slot;
  }

  get aborted(): boolean {
    return this.#slotTable.isStopped(this.#slot);
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

/** A symbol, because `instanceof` fails: the pool's side and the workers' side are bundled separately. */
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

/**
 * Returns `value` marked for transfer. If a task returns it, the objects in `transferList` are transferred instead of
 * copied.
 */
export function move<T>(value: T, transferList: readonly object[]): T {
  return new Moved(value, transferList) as T;
}

export function movedOf(
  result: unknown,
): { readonly value: unknown; readonly transferList: readonly object[] } | undefined {
  return typeof result === 'object' && result !== null && MOVED in result ? (result as Moved) : undefined;
}
