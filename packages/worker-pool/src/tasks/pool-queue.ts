// Pending tasks, from their call to their end. A task waits in line for a slot. With a slot, it is in the buffer that
// all workers take from (task-buffer.ts).
//
// The buffer is FIFO and the line can be sorted. While tasks have priorities, the queue is in sorted mode: few tasks
// have slots, and the others wait in the line. The first task with a priority other than 0 starts this mode, and moves
// the tasks that no worker has begun from the buffer back to the line. The mode ends when no task is left.

import type { SlotTable } from '../shared/slot-table.ts';
import type { TaskCodec } from '../clone/task-codec.ts';
import { TaskBuffer } from './task-buffer.ts';
import { PriorityQueue } from './priority-queue.ts';
import type { Memory } from '../shared/memory.ts';
import type { PoolTask } from './pool-task.ts';

export interface QueueCounts {
  /** Tasks in the buffer. */
  readonly queued: number;
  /** Tasks in line for a slot. */
  readonly waiting: number;
  /** Tasks that a worker has taken. */
  readonly running: number;
  /** Tasks that were cancelled after a worker took them, and that have not ended. */
  readonly stopping: number;
}

export interface QueueEvents {
  /** No task is left. */
  onIdle(): void;
  /** The buffer refused a task from the line. That task has no slot. */
  onRefused(task: PoolTask, failure: unknown): void;
  /** The worker with that number is to be woken by a message. */
  onWakeLeader(worker: number): void;
}

export class PoolQueue {
  readonly #slotTable: SlotTable;
  readonly #entries: TaskBuffer;
  /** The task of each slot; `undefined` in a free slot. */
  readonly #slots: (PoolTask | undefined)[];
  readonly #free: number[];
  /**
   * The maximum of tasks with slots while tasks have priorities: the running ones, and one queued behind each of them.
   */
  readonly #mostAhead: number;
  readonly #line = new PriorityQueue();
  readonly #events: QueueEvents;
  /** Callbacks of the calls that wait until the line is empty. */
  #roomWaiters: (() => void)[] = [];
  /** Callbacks of the calls that wait until no task is left. */
  #idleWaiters: (() => void)[] = [];
  /** Whether tasks have priorities. */
  #isSorted = false;
  #isShut = false;

  /** `places`: how many tasks the workers can run at a time. */
  constructor(memory: Memory, slots: number, places: number, codec: TaskCodec, events: QueueEvents) {
    this.#slotTable = memory.slotTable;
    this.#mostAhead = Math.min(slots, 2 * places);
    this.#slots = Array.from({ length: slots });
    this.#entries = new TaskBuffer(memory, this.#slots, codec, (worker) => events.onWakeLeader(worker));
    this.#free = Array.from({ length: slots }, (_, slot) => slots - 1 - slot);
    this.#events = events;
  }

  /** Counts the tasks whose end is not known yet. */
  get counts(): QueueCounts {
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

  at(slot: number): PoolTask | undefined {
    return this.#slots[slot];
  }

  /** Adds a task. Throws if the buffer refuses it; then the task has no slot. */
  add(task: PoolTask): void {
    if (task.settings.priority !== 0 && !this.#isSorted) this.#sort();
    if (this.#line.length === 0 && this.#hasSlot) {
      this.#dispatch(task);
      return;
    }
    this.#line.add(task);
    this.#fill();
  }

  /** Gives the available slots to the first tasks in line. */
  #fill(): void {
    while (this.#hasSlot) {
      const next = this.#line.take();
      if (next === undefined) return;
      try {
        this.#dispatch(next);
      } catch (failure) {
        // Not thrown: the caller has ended another task.
        this.#events.onRefused(next, failure);
      }
    }
  }

  /**
   * Begins the time in which tasks have priorities: puts the tasks that no worker has begun in line, in the order of
   * their calls.
   */
  #sort(): void {
    this.#isSorted = true;
    const inLine = this.#takeLine();
    for (const task of [...this.#takeQueued(), ...inLine]) this.#line.add(task);
  }

  /** Puts the task into the buffer again, because its worker died. */
  addAgain(task: PoolTask): void {
    this.#entries.put(task);
  }

  /** Gives the task's slot to the next task, because its end is known. Call `rest` after the end was reported. */
  release(task: PoolTask): void {
    this.#slots[task.slot] = undefined;
    this.#free.push(task.slot);
    task.leaveSlot();
    this.#fill();
    this.#wakeRoomWaiters();
  }

  /** Records that a task in line was cancelled. */
  forget(): void {
    this.#line.noteCancelled();
    this.#wakeRoomWaiters();
  }

  /**
   * Withdraws the task unless a worker has taken it. Returns true if no worker will take the task; then its slot is
   * free.
   */
  withdraw(task: PoolTask): boolean {
    if (!this.#entries.withdraw(task)) return false;
    this.release(task);
    return true;
  }

  /**
   * Marks a taken task as cancelled. Returns the number of its worker, or 0 if a worker is about to take the task and
   * will see the mark.
   */
  stop({ slot }: PoolTask): number {
    this.#slotTable.stop(slot);
    return this.#slotTable.takenBy(slot);
  }

  isTakenBy(task: PoolTask, worker: number): boolean {
    return task.slot >= 0 && this.#slotTable.takenBy(task.slot) === worker && this.#entries.isTaken(task);
  }

  takenBy(worker: number): PoolTask[] {
    return this.#entries.isFreed
      ? []
      : (this.#slots.filter((task) => task !== undefined && this.isTakenBy(task, worker)) as PoolTask[]);
  }

  /** Removes all tasks. Calls `end` for each that has not settled. */
  clear(end: (task: PoolTask) => void): void {
    for (let next = this.#line.take(); next !== undefined; next = this.#line.take()) end(next);
    for (const task of [...this.#slots]) {
      if (task === undefined) continue;
      this.release(task);
      if (!task.settled) end(task);
    }
    this.rest();
  }

  /** Removes the tasks that no worker has begun. Those in line first: otherwise they would get the slots. */
  takePending(): PoolTask[] {
    const pending = [...this.#takeLine(), ...this.#takeQueued()];
    this.#wakeRoomWaiters();
    return pending;
  }

  #takeLine(): PoolTask[] {
    const taken: PoolTask[] = [];
    for (let next = this.#line.take(); next !== undefined; next = this.#line.take()) taken.push(next);
    return taken;
  }

  /** Removes the tasks that no worker has taken, in the order of the buffer. Call it while no task is in line. */
  #takeQueued(): PoolTask[] {
    const queued = this.#slots.filter(
      (task) => task !== undefined && !task.settled && !this.#entries.isTaken(task),
    ) as PoolTask[];
    // Before the first is withdrawn: a withdrawal may put the others into the buffer again, with new orders.
    queued.sort((a, b) => (a.order - b.order) | 0);
    return queued.filter((task) => this.withdraw(task));
  }

  /** Resolves when a task could be added without waiting in line, or the pool accepts no more tasks. */
  async room(): Promise<void> {
    while (this.#isCrowded && !this.#isShut) await new Promise<void>((resolve) => this.#roomWaiters.push(resolve));
  }

  /** Resolves when no task is left. */
  async idle(): Promise<void> {
    while (!this.#isIdle) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Ends all waits of `room`, because the pool accepts no more tasks. */
  shut(): void {
    this.#isShut = true;
    for (const go of this.#roomWaiters.splice(0)) go();
  }

  /** Closes the buffer. Workers then end. */
  close(): void {
    this.#entries.close();
  }

  /** Call it when all workers have ended. */
  free(): void {
    this.#entries.free();
  }

  #dispatch(task: PoolTask): void {
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

  /** See `TaskBuffer.wakeAnother`. */
  wakeAnother(worker: number): void {
    this.#entries.wakeAnother(worker);
  }

  /** Wakes the callers of `room` if there is room. */
  #wakeRoomWaiters(): void {
    if (!this.#isCrowded) for (const go of this.#roomWaiters.splice(0)) go();
  }

  /** Checks whether the queue is idle. Call it after the end of a task was reported. */
  rest(): void {
    if (!this.#isIdle) return;
    this.#isSorted = false;
    for (const go of this.#idleWaiters.splice(0)) go();
    this.#events.onIdle();
  }
}
