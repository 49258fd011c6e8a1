// The entries of tasks in the buffer that all workers take from. Workers take entries in FIFO order, so an entry cannot
// leave from the middle:
//
//   a task is withdrawn          its entry stays, and the worker that takes the entry skips it (claims.ts)
//   too many such entries stay   all entries are taken out, and those of waiting tasks are put back in order
//
// `order` of a task is the number of its entry. The buffer counts the entries that were taken out. A comparison of the
// two tells whether a worker has taken the task.

import type { BoundedBuffer } from '@sluice/bounded-buffer';
import { hasCode } from '@sluice/core';
import type { SlotTable } from '../shared/slot-table.ts';
import { LAST_GENERATION } from '../shared/claims.ts';
import type { TaskCodec } from '../clone/task-codec.ts';
import { MIN_TASK_BYTES, mostWithdrawn, type Memory } from '../shared/memory.ts';
import type { PoolTask } from './pool-task.ts';
import { OTHER_FUNCTION, generationOf, packTask, packTaskStub, slotOf } from '../messages/wire.ts';

export class TaskBuffer {
  readonly #tasks: BoundedBuffer<Uint8Array>;
  readonly #slotTable: SlotTable;
  readonly #codec: TaskCodec;
  readonly #slots: readonly (PoolTask | undefined)[];
  readonly #wakeLeader: (worker: number) => void;
  #pushed = 0;
  #generations = 0;
  /** The orders of the entries of withdrawn tasks. Some of these entries may have been taken out since. */
  #withdrawn: number[] = [];
  #isFreed = false;

  /** `slots`: the tasks by slot. The queue changes this array. `wakeLeader` wakes the leader. */
  constructor(
    { tasks, slotTable }: Memory,
    slots: readonly (PoolTask | undefined)[],
    codec: TaskCodec,
    wakeLeader: (worker: number) => void,
  ) {
    this.#tasks = tasks;
    this.#slotTable = slotTable;
    this.#codec = codec;
    this.#slots = slots;
    this.#wakeLeader = wakeLeader;
  }

  /**
   * Puts a task into the buffer, for the first time or again. If the buffer refuses it, this throws and no worker will
   * run the task.
   */
  put(task: PoolTask): void {
    task.generation = this.#generations = (this.#generations + 1) & LAST_GENERATION;
    this.#slotTable.assign(task.slot, task.generation);
    try {
      this.#push(task);
    } catch (failure) {
      this.#slotTable.withdraw(task.slot, task.generation);
      throw failure;
    }
    task.order = this.#next();
    this.#announce();
  }

  /** Wakes a worker for the task that was just put in. */
  #announce(): void {
    const sleeper = this.#slotTable.leadership.announce(this.#tasks);
    if (sleeper !== 0) this.#wakeLeader(sleeper);
  }

  #push(task: PoolTask): void {
    const { slot } = task;
    const flags = task.settings.file === undefined ? 0 : OTHER_FUNCTION;
    const room = this.#roomForOne();
    const packed =
      task.settings.transferList.length === 0
        ? packTask(slot, task.generation, flags, task.sent, this.#codec, room)
        : undefined;
    // If only a message can carry the value, it is sent when the worker asks for it. If it cannot be sent, the task
    // rejects then.
    const sent = packed !== undefined && packed.length <= room && this.#tasks.tryPush(packed);
    // never waits: #roomForOne keeps room for it
    if (!sent) this.#tasks.push(packTaskStub(slot, task.generation, flags));
  }

  /** Whether a worker has taken the task. Exact when the counts wrap, too. */
  isTaken({ order }: PoolTask): boolean {
    return !this.#isFreed && this.#isPopped(order);
  }

  /** Withdraws the task unless a worker has taken it. Returns true if no worker will take the task. */
  withdraw(task: PoolTask): boolean {
    if (!this.#canLeaveEntry() || !this.#slotTable.withdraw(task.slot, task.generation)) return false;
    this.#withdrawn.push(task.order);
    return true;
  }

  /**
   * Wakes another worker after the end of `worker`, which may have been woken for a task, been promised one, or been
   * the leader.
   */
  wakeAnother(worker: number): void {
    if (!this.#isFreed) this.#slotTable.leadership.resign(worker, this.#tasks);
  }

  /** Closes the buffer. Workers then end. */
  close(): void {
    if (this.#isFreed) return;
    this.#tasks.close();
    this.#slotTable.eventCount.notifyAll();
    const sleeper = this.#slotTable.leadership.wake();
    if (sleeper !== 0) this.#wakeLeader(sleeper);
  }

  /** Call it when all workers have ended. */
  free(): void {
    this.#isFreed = true;
    this.#tasks.free();
    this.#slotTable.free();
  }

  get isFreed(): boolean {
    return this.#isFreed;
  }

  #next(): number {
    const order = this.#pushed;
    this.#pushed = (this.#pushed + 1) >>> 0;
    return order;
  }

  /**
   * The most bytes that a task may have: the free room, minus room for the shortest form of all other tasks that may
   * still be put in.
   */
  #roomForOne(): number {
    const entries = this.#slots.length + mostWithdrawn(this.#slots.length);
    return this.#tasks.room - (entries - this.#tasks.length) * MIN_TASK_BYTES;
  }

  /** Whether one more entry of a withdrawn task may stay in the buffer. */
  #canLeaveEntry(): boolean {
    const most = mostWithdrawn(this.#slots.length);
    if (this.#withdrawn.length < most) return true;
    this.#withdrawn = this.#withdrawn.filter((order) => !this.#isPopped(order));
    return this.#withdrawn.length < most || this.#takeOutWithdrawn();
  }

  /**
   * Takes all entries out, and puts those of waiting tasks back in order. Returns whether this made room for one more
   * withdrawn task. It fails, for instance, while the buffer is owned by a worker that was killed during a take and is
   * not recovered yet.
   */
  #takeOutWithdrawn(): boolean {
    const entries = this.#takeAll();
    for (const bytes of entries) {
      const task = this.#slots[slotOf(bytes)];
      if (task?.generation !== generationOf(bytes)) continue;
      this.#tasks.push(bytes); // never waits: the entry was in the buffer before
      task.order = this.#next();
      this.#announce();
    }
    // Entries may remain that are promised to workers that are just waking up.
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
