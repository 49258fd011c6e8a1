// Runs the tasks of a worker, and reports their ends.

import { isThenable } from '@sluice/core/calls';
import type { SlotTable } from '../shared/slot-table.ts';
import type { TaskCodec } from '../clone/task-codec.ts';
import { Context } from './context.ts';
import type { Functions, PoolFunction } from './functions.ts';
import type { Inbox } from './inbox.ts';
import type { PoolWorkerStart } from '../messages/messages.ts';
import { now, type Outbox } from './outbox.ts';
import type { UnreadOutput } from '../platform/unread-output.ts';
import { OTHER_FUNCTION, SKIPPED, taskHeadOf, taskValueOf, type TaskHead } from '../messages/wire.ts';

export interface RunnerParts {
  readonly start: PoolWorkerStart;
  readonly slotTable: SlotTable;
  readonly functions: Functions;
  readonly codec: TaskCodec;
  readonly inbox: Inbox;
  readonly out: Outbox;
  readonly output: UnreadOutput;
  /** Called before the result of a task is sent. */
  readonly onEnd: () => void;
}

export class Runner {
  /** The pool's own function, or `undefined` if it cannot be loaded. */
  own: PoolFunction | undefined;
  readonly #start: PoolWorkerStart;
  readonly #slotTable: SlotTable;
  readonly #functions: Functions;
  readonly #codec: TaskCodec;
  readonly #inbox: Inbox;
  readonly #out: Outbox;
  readonly #output: UnreadOutput;
  readonly #onEnd: () => void;
  /** By slot: the tasks that are awaited. */
  readonly #running = new Map<number, Context>();

  constructor({ start, slotTable, functions, codec, inbox, out, output, onEnd }: RunnerParts) {
    this.#start = start;
    this.#slotTable = slotTable;
    this.#functions = functions;
    this.#codec = codec;
    this.#inbox = inbox;
    this.#out = out;
    this.#output = output;
    this.#onEnd = onEnd;
  }

  /** Runs a task and reports its end. Returns `undefined` if both are done at once. */
  run(bytes: Uint8Array): Promise<void> | undefined {
    const head = taskHeadOf(bytes);
    const { slot, flags, isMessage, arenas } = head;
    const began = now();
    if (this.#slotTable.isStopped(slot)) return this.#out.send(slot, SKIPPED, undefined, began);
    const run = this.own;
    if (run === undefined || isMessage || flags !== 0 || arenas > this.#codec.memories.count)
      return this.#runSlowly(head, bytes, began);
    const context = new Context(this.#slotTable, slot, this.#start.number);
    let result: unknown;
    try {
      result = run(taskValueOf(bytes, this.#codec) as never, context);
      if (isThenable(result) || this.#output.isUnread) return this.#await(slot, context, result, began);
      this.#onEnd();
      return this.#out.send(slot, 0, result, began);
    } catch (thrown) {
      return this.#fail(slot, thrown, began);
    }
  }

  /**
   * Runs a task that must wait before it begins: for its value, for an arena, or for a function other than the pool's
   * own.
   */
  async #runSlowly({ slot, flags, isMessage, arenas }: TaskHead, bytes: Uint8Array, began: number): Promise<void> {
    const context = new Context(this.#slotTable, slot, this.#start.number);
    try {
      await this.#inbox.arenas(arenas);
      const sent = isMessage ? await this.#inbox.fetch(slot) : taskValueOf(bytes, this.#codec);
      const { filename, name } = this.#start;
      const [file, exported, input] =
        (flags & OTHER_FUNCTION) !== 0 ? (sent as [string, string, unknown]) : [filename, name, sent];
      const run = await this.#functions.find(file, exported);
      if (context.aborted) {
        await this.#out.send(slot, SKIPPED, undefined, began);
        return;
      }
      await this.#await(slot, context, run(input as never, context), began);
    } catch (thrown) {
      await this.#fail(slot, thrown, began);
    }
  }

  async #await(slot: number, context: Context, running: unknown, began: number): Promise<void> {
    this.#running.set(slot, context);
    try {
      const result = await running;
      if (this.#output.isUnread) await this.#output.untilRead();
      // Before the result is sent: after that the slot may get its next task, even in this worker.
      this.#running.delete(slot);
      this.#onEnd();
      await this.#out.send(slot, 0, result, began);
    } catch (thrown) {
      if (this.#running.get(slot) === context) this.#running.delete(slot);
      await this.#fail(slot, thrown, began);
    }
  }

  #fail(slot: number, thrown: unknown, began: number): Promise<void> | undefined {
    if (!this.#output.isUnread) return this.#out.sendFailure(slot, thrown, began);
    return this.#output.untilRead().then(() => this.#out.sendFailure(slot, thrown, began));
  }

  abort(slot: number): void {
    // The slot may have another task by now.
    if (this.#slotTable.isStopped(slot)) this.#running.get(slot)?.abort();
  }
}
