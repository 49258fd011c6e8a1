// Pending tasks, from their call to their end: in line for a slot, then in a slot, and in the buffer that all workers take from.
//
// The buffer is FIFO. So while tasks have priorities, few of them have slots, and the others wait in the line, which is sorted. This begins with
// the first task of another priority than 0, which takes the tasks that no worker has begun out of the buffer again. It ends when no task is left.

import type { BoundedBuffer } from '@sluice/bounded-buffer';
import { hasCode } from '@sluice/core';
import type { Board } from './board.ts';
import { LAST_OFFER } from './claims.ts';
import type { Carrier } from './clone/carry.ts';
import { Line } from './line.ts';
import { LEAST_TASK_BYTES, mostWithdrawn, type Memory } from './memory.ts';
import type { Task } from './task.ts';
import { ELSEWHERE, offerOf, packTask, packTaskStub, slotOf } from './wire.ts';

export interface Counts {
  /** In the buffer. */
  readonly queued: number;
  /** In line for a slot. */
  readonly waiting: number;
  /** Taken by a worker. */
  readonly running: number;
}

export class Queue {
  readonly #tasks: BoundedBuffer<Uint8Array>;
  readonly #board: Board;
  readonly #carrier: Carrier;
  /** By slot; `undefined`: free. */
  readonly #slots: (Task | undefined)[];
  readonly #free: number[];
  /** How many tasks may have slots while tasks have priorities: those that run, and one behind each of them. */
  readonly #mostAhead: number;
  readonly #line = new Line();
  readonly #onIdle: () => void;
  /** Callbacks of the calls that wait until the line is empty. */
  #roomers: (() => void)[] = [];
  /** Callbacks of the calls that wait until no task is left. */
  #idlers: (() => void)[] = [];
  #pushed = 0;
  #offers = 0;
  /** Orders of the buffer entries whose tasks were withdrawn. Entries that workers have taken out since may still be listed. */
  #withdrawn: number[] = [];
  /** Tasks have priorities. */
  #isSorted = false;
  #isShut = false;
  #isFreed = false;

  /** `places`: how many tasks the workers can run at a time. */
  constructor({ tasks, board }: Memory, slots: number, places: number, carrier: Carrier, onIdle: () => void) {
    this.#tasks = tasks;
    this.#board = board;
    this.#carrier = carrier;
    this.#mostAhead = Math.min(slots, 2 * places);
    this.#slots = Array.from({ length: slots });
    this.#free = Array.from({ length: slots }, (_, slot) => slots - 1 - slot);
    this.#onIdle = onIdle;
  }

  /** Without tasks whose end is known. A task that was cancelled after a worker took it counts as running until the worker reports its end. */
  get counts(): Counts {
    let [queued, running] = [0, 0];
    for (const task of this.#slots) {
      if (task === undefined || task.hasEnded) continue;
      if (task.settled || this.#isTaken(task)) running += 1;
      else queued += 1;
    }
    return { queued, waiting: this.#line.length, running };
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
      this.#dispatch(next);
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
    this.#put(task);
  }

  /** The task's end is known: gives its slot to the next task. Call `rest` once the end was reported. */
  release(task: Task): void {
    this.#slots[task.slot] = undefined;
    this.#free.push(task.slot);
    task.slot = -1;
    this.#fill();
    this.#letIn();
  }

  /** A task that waited in line was cancelled. */
  forget(): void {
    this.#line.forget();
    this.#letIn();
  }

  /** Withdraws the task unless a worker has taken it. Returns whether it did; then no worker will take it, and its slot is free. */
  withdraw(task: Task): boolean {
    if (!this.#canLeaveEntry() || !this.#board.withdraw(task.slot, task.offer)) return false;
    this.#withdrawn.push(task.order);
    this.release(task);
    return true;
  }

  /** Marks a taken task as cancelled. Returns its worker; 0: a worker is about to take it, and will see the mark. */
  stop({ slot }: Task): number {
    this.#board.stop(slot);
    return this.#board.takenBy(slot);
  }

  isTakenBy(task: Task, worker: number): boolean {
    return task.slot >= 0 && this.#board.takenBy(task.slot) === worker && this.#isTaken(task);
  }

  /** Whether the count has passed the task, across its wrap. */
  #isTaken({ order }: Task): boolean {
    return !this.#isFreed && this.#isPopped(order);
  }

  #isPopped(order: number): boolean {
    return ((this.#tasks.popped - order) | 0) > 0;
  }

  /** The tasks that a worker has taken. */
  takenBy(worker: number): Task[] {
    return this.#isFreed ? [] : this.#slots.filter((task) => task !== undefined && this.isTakenBy(task, worker)) as Task[];
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
    this.#letIn();
    return pending;
  }

  #takeLine(): Task[] {
    const taken: Task[] = [];
    for (let next = this.#line.take(); next !== undefined; next = this.#line.take()) taken.push(next);
    return taken;
  }

  /** In the order of the buffer. Call it while no task is in line. */
  #takeQueued(): Task[] {
    const queued = this.#slots.filter((task) => task !== undefined && !task.settled && !this.#isTaken(task)) as Task[];
    // Before the first is withdrawn: that may put the others into the buffer again, and renumber them.
    queued.sort((a, b) => (a.order - b.order) | 0);
    return queued.filter((task) => this.withdraw(task));
  }

  /** Resolves when a task could be added without waiting in line, or none is accepted any more. */
  async room(): Promise<void> {
    while (this.#isCrowded && !this.#isShut) await new Promise<void>((resolve) => this.#roomers.push(resolve));
  }

  /** Resolves when no task is left. */
  async idle(): Promise<void> {
    while (!this.#isIdle) await new Promise<void>((resolve) => this.#idlers.push(resolve));
  }

  /** No more tasks are accepted. */
  shut(): void {
    this.#isShut = true;
    for (const go of this.#roomers.splice(0)) go();
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

  #dispatch(task: Task): void {
    const slot = this.#free.pop() ?? -1;
    task.slot = slot;
    this.#slots[slot] = task;
    this.#put(task);
  }

  #put(task: Task): void {
    const { slot } = task;
    task.offer = this.#offers = (this.#offers + 1) & LAST_OFFER;
    this.#board.offer(slot, task.offer);
    const flags = task.settings.file === undefined ? 0 : ELSEWHERE;
    const room = this.#roomForOne();
    const packed = task.settings.transferList.length === 0 ? packTask(slot, task.offer, flags, task.sent, this.#carrier, room) : undefined;
    // A task that only a message can carry is sent when the worker asks for it. If it cannot be sent, it rejects then.
    const sent = packed !== undefined && packed.length <= room && this.#tasks.tryPush(packed);
    if (!sent) this.#tasks.push(packTaskStub(slot, task.offer, flags)); // never waits: there is room for it (#roomForOne)
    task.order = this.#next();
    this.#board.post.announce(this.#tasks);
  }

  /** A worker that ended may have been woken for a task, or been promised one, or have the post. */
  wakeAnother(worker: number): void {
    if (!this.#isFreed) this.#board.post.leave(worker, this.#tasks);
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

  /** Wakes the callers that wait for a place in line. */
  #letIn(): void {
    if (!this.#isCrowded) for (const go of this.#roomers.splice(0)) go();
  }

  /** Call it when the end of a task was reported. */
  rest(): void {
    if (!this.#isIdle) return;
    this.#isSorted = false;
    for (const go of this.#idlers.splice(0)) go();
    this.#onIdle();
  }
}
