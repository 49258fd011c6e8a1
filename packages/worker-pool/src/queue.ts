// Pending tasks, from their call to their end: in line for a slot, then in a slot, and in the buffer that all workers take from (entries.ts).
//
// The buffer is FIFO. So while tasks have priorities, few of them have slots, and the others wait in the line, which is sorted. This begins with
// the first task of another priority than 0, which takes the tasks that no worker has begun out of the buffer again. It ends when no task is left.

import type { SlotTable } from './slot-table.ts';
import type { ValueCodec } from './clone/value-codec.ts';
import { Entries } from './entries.ts';
import { PriorityQueue } from './priority-queue.ts';
import type { Memory } from './memory.ts';
import type { Task } from './task.ts';

export interface Counts {
  /** In the buffer. */
  readonly queued: number;
  /** In line for a slot. */
  readonly waiting: number;
  /** Taken by a worker. */
  readonly running: number;
  /** Cancelled after a worker took them, and not ended. */
  readonly stopping: number;
}

export class Queue {
  readonly #slotTable: SlotTable;
  readonly #entries: Entries;
  /** By slot; `undefined`: free. */
  readonly #slots: (Task | undefined)[];
  readonly #free: number[];
  /** How many tasks may have slots while tasks have priorities: those that run, and one behind each of them. */
  readonly #mostAhead: number;
  readonly #line = new PriorityQueue();
  readonly #onIdle: () => void;
  readonly #onRefused: (task: Task, failure: unknown) => void;
  /** Callbacks of the calls that wait until the line is empty. */
  #roomWaiters: (() => void)[] = [];
  /** Callbacks of the calls that wait until no task is left. */
  #idleWaiters: (() => void)[] = [];
  /** Tasks have priorities. */
  #isSorted = false;
  #isShut = false;

  /** `places`: how many tasks the workers can run at a time. `onRefused`: gets each task from the line that the buffer refused; it has no slot. */
  constructor(memory: Memory, slots: number, places: number, codec: ValueCodec, onIdle: () => void, onRefused: (task: Task, failure: unknown) => void) {
    this.#slotTable = memory.slotTable;
    this.#mostAhead = Math.min(slots, 2 * places);
    this.#slots = Array.from({ length: slots });
    this.#entries = new Entries(memory, this.#slots, codec);
    this.#free = Array.from({ length: slots }, (_, slot) => slots - 1 - slot);
    this.#onIdle = onIdle;
    this.#onRefused = onRefused;
  }

  /** Without tasks whose end is known. */
  get counts(): Counts {
    let [queued, running, stopping] = [0, 0, 0];
    for (const task of this.#slots) {
      if (task === undefined || task.hasEnded) continue;
      if (task.settled) stopping += 1;
      else if (this.#entries.isTaken(task)) running += 1;
      else queued += 1;
    }
    return { queued, waiting: this.#line.length, running, stopping };
  }

  /** The number of tasks that no worker has begun. */
  get unbegun(): number {
    const { queued, waiting } = this.counts;
    return queued + waiting;
  }

  /** Whether a task added now would have to wait in line. */
  get isFull(): boolean {
    return this.occupied + this.#line.length >= this.#slots.length;
  }

  /** The number of tasks that have slots. */
  get occupied(): number {
    return this.#slots.length - this.#free.length;
  }

  /** Whether a task may have one of the free slots. */
  get #hasSlot(): boolean {
    return this.#isSorted ? this.occupied < this.#mostAhead : this.#free.length > 0;
  }

  /** Whether more tasks wait than the queue takes. */
  get #isCrowded(): boolean {
    return this.occupied + this.#line.length > this.#slots.length;
  }

  get #isIdle(): boolean {
    return this.#free.length === this.#slots.length && this.#line.length === 0;
  }

  /** The task in a slot. */
  at(slot: number): Task | undefined {
    return this.#slots[slot];
  }

  /** Throws if the task cannot be put into the buffer; then it has no slot. */
  add(task: Task): void {
    if (task.settings.priority !== 0 && !this.#isSorted) this.#sort();
    if (this.#line.length === 0 && this.#hasSlot) {
      this.#dispatch(task);
      return;
    }
    this.#line.add(task);
    this.#fill();
  }

  /** Gives the slots that may be taken to the first tasks in line. */
  #fill(): void {
    while (this.#hasSlot) {
      const next = this.#line.take();
      if (next === undefined) return;
      try {
        this.#dispatch(next);
      } catch (failure) {
        // Not for the caller, which has ended another task.
        this.#onRefused(next, failure);
      }
    }
  }

  /** From here on tasks have priorities: puts those that no worker has begun in line, in the order of their calls. */
  #sort(): void {
    this.#isSorted = true;
    const inLine = this.#takeLine();
    for (const task of [...this.#takeQueued(), ...inLine]) this.#line.add(task);
  }

  /** Puts the task into the buffer again, because its worker died. */
  addAgain(task: Task): void {
    this.#entries.put(task);
  }

  /** The task's end is known: gives its slot to the next task. Call `rest` once the end was reported. */
  release(task: Task): void {
    this.#slots[task.slot] = undefined;
    this.#free.push(task.slot);
    task.slot = -1;
    this.#fill();
    this.#wakeRoomWaiters();
  }

  /** A task that waited in line was cancelled. */
  forget(): void {
    this.#line.forget();
    this.#wakeRoomWaiters();
  }

  /** Withdraws the task unless a worker has taken it. Returns whether it did; then no worker will take it, and its slot is free. */
  withdraw(task: Task): boolean {
    if (!this.#entries.withdraw(task)) return false;
    this.release(task);
    return true;
  }

  /** Marks a taken task as cancelled. Returns its worker; 0: a worker is about to take it, and will see the mark. */
  stop({ slot }: Task): number {
    this.#slotTable.stop(slot);
    return this.#slotTable.takenBy(slot);
  }

  isTakenBy(task: Task, worker: number): boolean {
    return task.slot >= 0 && this.#slotTable.takenBy(task.slot) === worker && this.#entries.isTaken(task);
  }

  /** The tasks that a worker has taken. */
  takenBy(worker: number): Task[] {
    return this.#entries.isFreed ? [] : this.#slots.filter((task) => task !== undefined && this.isTakenBy(task, worker)) as Task[];
  }

  /** Removes all tasks. Calls `end` for each that has not settled. */
  clear(end: (task: Task) => void): void {
    for (let next = this.#line.take(); next !== undefined; next = this.#line.take()) end(next);
    for (const task of [...this.#slots]) {
      if (task === undefined) continue;
      this.release(task);
      if (!task.settled) end(task);
    }
    this.rest();
  }

  /** Removes the tasks that no worker has begun: those in line first, so that none of them gets a slot. */
  takePending(): Task[] {
    const pending = [...this.#takeLine(), ...this.#takeQueued()];
    this.#wakeRoomWaiters();
    return pending;
  }

  #takeLine(): Task[] {
    const taken: Task[] = [];
    for (let next = this.#line.take(); next !== undefined; next = this.#line.take()) taken.push(next);
    return taken;
  }

  /** In the order of the buffer. Call it while no task is in line. */
  #takeQueued(): Task[] {
    const queued = this.#slots.filter((task) => task !== undefined && !task.settled && !this.#entries.isTaken(task)) as Task[];
    // Before the first is withdrawn: that may put the others into the buffer again, and renumber them.
    queued.sort((a, b) => (a.order - b.order) | 0);
    return queued.filter((task) => this.withdraw(task));
  }

  /** Resolves when a task could be added without waiting in line, or none is accepted any more. */
  async room(): Promise<void> {
    while (this.#isCrowded && !this.#isShut) await new Promise<void>((resolve) => this.#roomWaiters.push(resolve));
  }

  /** Resolves when no task is left. */
  async idle(): Promise<void> {
    while (!this.#isIdle) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  /** No more tasks are accepted. */
  shut(): void {
    this.#isShut = true;
    for (const go of this.#roomWaiters.splice(0)) go();
  }

  /** Workers end when they find the buffer closed. */
  close(): void {
    this.#entries.close();
  }

  /** Call it when all workers have ended. */
  free(): void {
    this.#entries.free();
  }

  #dispatch(task: Task): void {
    const slot = this.#free.pop() ?? -1;
    task.slot = slot;
    this.#slots[slot] = task;
    try {
      this.#entries.put(task);
    } catch (failure) {
      this.#slots[slot] = undefined;
      this.#free.push(slot);
      task.slot = -1;
      throw failure;
    }
  }

  /** A worker that ended may have been woken for a task, or been promised one, or have the post. */
  wakeAnother(worker: number): void {
    this.#entries.wakeAnother(worker);
  }

  /** Wakes the callers that wait for a place in line. */
  #wakeRoomWaiters(): void {
    if (!this.#isCrowded) for (const go of this.#roomWaiters.splice(0)) go();
  }

  /** Call it when the end of a task was reported. */
  rest(): void {
    if (!this.#isIdle) return;
    this.#isSorted = false;
    for (const go of this.#idleWaiters.splice(0)) go();
    this.#onIdle();
  }
}
