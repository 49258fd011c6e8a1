// The entries of tasks in the buffer that all workers take from. Workers take entries in FIFO order, so an entry cannot leave from the middle:
//
//   a task is withdrawn    its entry stays, and the worker that takes it finds by the board that the task is gone
//   too many have stayed   all entries are taken out, and those of waiting tasks are put back in order
//
// `order` of a task is the number of its entry. The buffer counts how many entries were taken out, so the order tells whether a worker has taken it.

import type { BoundedBuffer } from '@sluice/bounded-buffer';
import { hasCode } from '@sluice/core';
import type { Board } from './board.ts';
import { LAST_OFFER } from './claims.ts';
import type { Carrier } from './clone/carry.ts';
import { LEAST_TASK_BYTES, mostWithdrawn, type Memory } from './memory.ts';
import type { Task } from './task.ts';
import { ELSEWHERE, offerOf, packTask, packTaskStub, slotOf } from './wire.ts';

export class Entries {
  readonly #tasks: BoundedBuffer<Uint8Array>;
  readonly #board: Board;
  readonly #carrier: Carrier;
  readonly #slots: readonly (Task | undefined)[];
  #pushed = 0;
  #offers = 0;
  /** Orders of the entries whose tasks were withdrawn. Entries that workers have taken out since may still be listed. */
  #withdrawn: number[] = [];
  #isFreed = false;

  /** `slots`: the tasks by slot, as the queue changes them. */
  constructor({ tasks, board }: Memory, slots: readonly (Task | undefined)[], carrier: Carrier) {
    this.#tasks = tasks;
    this.#board = board;
    this.#carrier = carrier;
    this.#slots = slots;
  }

  /** Puts a task into the buffer: a new one, or again. Throws if the buffer does not take it; then no worker will run it. */
  put(task: Task): void {
    task.offer = this.#offers = (this.#offers + 1) & LAST_OFFER;
    this.#board.offer(task.slot, task.offer);
    try {
      this.#push(task);
    } catch (failure) {
      this.#board.withdraw(task.slot, task.offer);
      throw failure;
    }
    task.order = this.#next();
    this.#board.post.announce(this.#tasks);
  }

  #push(task: Task): void {
    const { slot } = task;
    const flags = task.settings.file === undefined ? 0 : ELSEWHERE;
    const room = this.#roomForOne();
    const packed = task.settings.transferList.length === 0 ? packTask(slot, task.offer, flags, task.sent, this.#carrier, room) : undefined;
    // A task that only a message can carry is sent when the worker asks for it. If it cannot be sent, it rejects then.
    const sent = packed !== undefined && packed.length <= room && this.#tasks.tryPush(packed);
    if (!sent) this.#tasks.push(packTaskStub(slot, task.offer, flags)); // never waits: there is room for it (#roomForOne)
  }

  /** Whether a worker has taken the task: the count has passed it, across its wrap. */
  isTaken({ order }: Task): boolean {
    return !this.#isFreed && this.#isPopped(order);
  }

  /** Withdraws the task unless a worker has taken it. Returns whether it did; then no worker will take it. */
  withdraw(task: Task): boolean {
    if (!this.#canLeaveEntry() || !this.#board.withdraw(task.slot, task.offer)) return false;
    this.#withdrawn.push(task.order);
    return true;
  }

  /** A worker that ended may have been woken for a task, or been promised one, or have the post. */
  wakeAnother(worker: number): void {
    if (!this.#isFreed) this.#board.post.leave(worker, this.#tasks);
  }

  /** Workers end when they find the buffer closed. */
  close(): void {
    if (this.#isFreed) return;
    this.#tasks.close();
    this.#board.bell.ringForAll();
  }

  /** Call it when all workers have ended. */
  free(): void {
    this.#isFreed = true;
    this.#tasks.free();
    this.#board.free();
  }

  get isFreed(): boolean {
    return this.#isFreed;
  }

  #next(): number {
    const order = this.#pushed;
    this.#pushed = (this.#pushed + 1) >>> 0;
    return order;
  }

  /** The bytes that a task may have: the free room, minus the shortest form of all other tasks that may come, or come again. */
  #roomForOne(): number {
    const entries = this.#slots.length + mostWithdrawn(this.#slots.length);
    return this.#tasks.room - (entries - this.#tasks.length) * LEAST_TASK_BYTES;
  }

  /** Whether one more entry of a withdrawn task may stay in the buffer. */
  #canLeaveEntry(): boolean {
    const most = mostWithdrawn(this.#slots.length);
    if (this.#withdrawn.length < most) return true;
    this.#withdrawn = this.#withdrawn.filter((order) => !this.#isPopped(order));
    return this.#withdrawn.length < most || this.#takeOutWithdrawn();
  }

  /**
   * Takes all entries out, and puts those of waiting tasks back in order. Returns whether it could: a worker that was killed while it took a
   * task owns the buffer until it is recovered.
   */
  #takeOutWithdrawn(): boolean {
    const entries = this.#takeAll();
    for (const bytes of entries) {
      const task = this.#slots[slotOf(bytes)];
      if (task?.offer !== offerOf(bytes)) continue;
      this.#tasks.push(bytes); // never waits: it was there before
      task.order = this.#next();
      this.#board.post.announce(this.#tasks);
    }
    // Not necessarily all: some entries may be promised to workers that are just waking up.
    this.#withdrawn = this.#withdrawn.filter((order) => !this.#isPopped(order));
    return this.#withdrawn.length < mostWithdrawn(this.#slots.length);
  }

  #takeAll(): Uint8Array[] {
    try {
      return this.#tasks.tryPopMany();
    } catch (failure) {
      if (hasCode(failure, 'SLUICE_ARENA_FULL')) return [];
      throw failure;
    }
  }

  #isPopped(order: number): boolean {
    return ((this.#tasks.popped - order) | 0) > 0;
  }
}
