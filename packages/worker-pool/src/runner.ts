// Runs the tasks of a worker and reports their ends.

import { isThenable } from '@sluice/core/internal';
import type { Board } from './board.ts';
import type { Carrier } from './clone/carry.ts';
import { Context } from './context.ts';
import type { Functions, TaskFunction } from './functions.ts';
import type { Inbox } from './inbox.ts';
import type { WorkerStart } from './messages.ts';
import { now, type Outbox } from './outbox.ts';
import type { Prints } from './prints.ts';
import { ELSEWHERE, SKIPPED, taskHeadOf, taskValueOf, type TaskHead } from './wire.ts';

export interface RunnerParts {
  readonly start: WorkerStart;
  readonly board: Board;
  readonly functions: Functions;
  readonly carrier: Carrier;
  readonly inbox: Inbox;
  readonly out: Outbox;
  readonly prints: Prints;
  /** Called before the end of a task is reported. */
  readonly onEnd: () => void;
}

export class Runner {
  /** The pool's own function; `undefined`: it cannot be loaded. */
  own: TaskFunction | undefined;
  readonly #start: WorkerStart;
  readonly #board: Board;
  readonly #functions: Functions;
  readonly #carrier: Carrier;
  readonly #inbox: Inbox;
  readonly #out: Outbox;
  readonly #prints: Prints;
  readonly #onEnd: () => void;
  /** By slot: the tasks that have not ended. */
  readonly #running = new Map<number, Context>();

  constructor({ start, board, functions, carrier, inbox, out, prints, onEnd }: RunnerParts) {
    this.#start = start;
    this.#board = board;
    this.#functions = functions;
    this.#carrier = carrier;
    this.#inbox = inbox;
    this.#out = out;
    this.#prints = prints;
    this.#onEnd = onEnd;
  }

  /** Returns `undefined` if the task is done. */
  run(bytes: Uint8Array): Promise<void> | undefined {
    const head = taskHeadOf(bytes);
    const { slot, flags, isMessage, arenas } = head;
    const began = now();
    if (this.#board.isStopped(slot)) return this.#out.send(slot, SKIPPED, undefined, began);
    const run = this.own;
    if (run === undefined || isMessage || flags !== 0 || arenas > this.#carrier.memories.count) return this.#runSlowly(head, bytes, began);
    const context = new Context(this.#board, slot, this.#start.number);
    let result: unknown;
    try {
      result = run(taskValueOf(bytes, this.#carrier) as never, context);
      if (isThenable(result) || this.#prints.isUnread) return this.#await(slot, context, result, began);
      this.#onEnd();
      return this.#out.send(slot, 0, result, began);
    } catch (thrown) {
      return this.#fail(slot, thrown, began);
    }
  }

  /** For a function other than the pool's own or one that cannot be loaded, and for a task that is sent as a message. */
  async #runSlowly({ slot, flags, isMessage, arenas }: TaskHead, bytes: Uint8Array, began: number): Promise<void> {
    const context = new Context(this.#board, slot, this.#start.number);
    try {
      await this.#inbox.arenas(arenas);
      const sent = isMessage ? await this.#inbox.fetch(slot) : taskValueOf(bytes, this.#carrier);
      const { filename, name } = this.#start;
      const [file, exported, input] = (flags & ELSEWHERE) !== 0 ? (sent as [string, string, unknown]) : [filename, name, sent];
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
      if (this.#prints.isUnread) await this.#prints.untilRead();
      // Before the result is sent: after that the slot may get its next task at once, even in this worker.
      this.#running.delete(slot);
      this.#onEnd();
      await this.#out.send(slot, 0, result, began);
    } catch (thrown) {
      if (this.#running.get(slot) === context) this.#running.delete(slot);
      await this.#fail(slot, thrown, began);
    }
  }

  #fail(slot: number, thrown: unknown, began: number): Promise<void> | undefined {
    if (!this.#prints.isUnread) return this.#out.sendFailure(slot, thrown, began);
    return this.#prints.untilRead().then(() => this.#out.sendFailure(slot, thrown, began));
  }

  abort(slot: number): void {
    // The slot may belong to another task by now.
    if (this.#board.isStopped(slot)) this.#running.get(slot)?.abort();
  }
}
