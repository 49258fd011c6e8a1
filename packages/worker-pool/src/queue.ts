// Tasks under way, from their call to their end: in line for a slot, then in a slot, and in the buffer that all workers take from.

import type { BoundedBuffer } from '@sluice/bounded-buffer';
import type { Board } from './board.ts';
import { Line } from './line.ts';
import { LEAST_TASK_BYTES, type Memory } from './memory.ts';
import type { Task } from './task.ts';
import { ELSEWHERE, packTask, packTaskStub } from './wire.ts';

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
  /** By slot; `undefined`: free. */
  readonly #slots: (Task | undefined)[];
  readonly #free: number[];
  readonly #line = new Line();
  readonly #onIdle: () => void;
  /** Who waits until nobody stands in line. */
  #roomers: (() => void)[] = [];
  /** Who waits until no task is left. */
  #idlers: (() => void)[] = [];
  #pushed = 0;
  #isShut = false;
  #isFreed = false;

  constructor({ tasks, board }: Memory, slots: number, onIdle: () => void) {
    this.#tasks = tasks;
    this.#board = board;
    this.#slots = Array.from({ length: slots });
    this.#free = Array.from({ length: slots }, (_, slot) => slots - 1 - slot);
    this.#onIdle = onIdle;
  }

  /** Without those whose end is known. One that was given up and that its worker has begun goes on running. */
  get counts(): Counts {
    let [queued, running] = [0, 0];
    for (const task of this.#slots) {
      if (task === undefined || task.hasEnded) continue;
      if (this.#isTaken(task)) running += 1;
      else if (!task.settled) queued += 1;
    }
    return { queued, waiting: this.#line.length, running };
  }

  /** A task that comes now would have to stand in line. */
  get isFull(): boolean {
    return this.#free.length === 0 || this.#line.length > 0;
  }

  get #isIdle(): boolean {
    return this.#free.length === this.#slots.length && this.#line.length === 0;
  }

  /** Of the tasks that have slots. */
  at(slot: number): Task | undefined {
    return this.#slots[slot];
  }

  add(task: Task): void {
    if (this.isFull) this.#line.add(task);
    else this.#dispatch(task);
  }

  /** Its worker died. */
  addAgain(task: Task): void {
    this.#board.clear(task.slot);
    this.#put(task);
  }

  /** Its end is known: its slot is the next one's. */
  release(task: Task): void {
    this.#slots[task.slot] = undefined;
    this.#free.push(task.slot);
    task.slot = -1;
    const next = this.#line.take();
    if (next !== undefined) this.#dispatch(next);
    if (this.#line.length === 0) for (const go of this.#roomers.splice(0)) go();
    this.#rest();
  }

  /** It stood in line, and was given up. */
  forget(): void {
    this.#line.forget();
    this.#rest();
  }

  /** It has a slot, and was given up. The worker that has taken it; 0: none, and who takes it from here on sees that nobody waits. */
  stop({ slot }: Task): number {
    this.#board.stop(slot);
    return this.#board.takenBy(slot);
  }

  isTakenBy(task: Task, worker: number): boolean {
    return task.slot >= 0 && this.#board.takenBy(task.slot) === worker && this.#isTaken(task);
  }

  /** Whether the count has passed it, across its wrap. */
  #isTaken({ order }: Task): boolean {
    return !this.#isFreed && ((this.#tasks.popped - order) | 0) > 0;
  }

  /** Those that a worker has taken. */
  takenBy(worker: number): Task[] {
    return this.#isFreed ? [] : this.#slots.filter((task) => task !== undefined && this.isTakenBy(task, worker)) as Task[];
  }

  /** Takes all that is there out: `end` is called for each that still waits for its end. */
  clear(end: (task: Task) => void): void {
    for (let next = this.#line.take(); next !== undefined; next = this.#line.take()) end(next);
    for (const task of [...this.#slots]) {
      if (task === undefined) continue;
      if (!task.settled) end(task);
      this.release(task);
    }
  }

  /** Resolves when a task could be added without standing in line, or none is taken any more. */
  async room(): Promise<void> {
    while (this.#line.length > 0 && !this.#isShut) await new Promise<void>((resolve) => this.#roomers.push(resolve));
  }

  /** Resolves when no task is left. */
  async idle(): Promise<void> {
    while (!this.#isIdle) await new Promise<void>((resolve) => this.#idlers.push(resolve));
  }

  /** No more tasks come. */
  shut(): void {
    this.#isShut = true;
    for (const go of this.#roomers.splice(0)) go();
  }

  /** Workers end when they find it closed. */
  close(): void {
    if (!this.#isFreed) this.#tasks.close();
  }

  /** All workers have ended. */
  free(): void {
    this.#isFreed = true;
    this.#tasks.free();
    this.#board.free();
  }

  #dispatch(task: Task): void {
    const slot = this.#free.pop() ?? -1;
    this.#board.clear(slot);
    task.slot = slot;
    this.#slots[slot] = task;
    this.#put(task);
  }

  #put(task: Task): void {
    const flags = task.settings.file === undefined ? 0 : ELSEWHERE;
    const packed = task.settings.transferList.length === 0 ? tryPack(task.slot, flags, task.sent) : undefined;
    // What only a message can carry the worker asks for: then the message is sent, and what cannot be sent rejects.
    const sent = packed !== undefined && this.#tryPush(packed);
    if (!sent) this.#tasks.push(packTaskStub(task.slot, flags)); // never waits: there is room for it (#tryPush)
    task.order = this.#pushed;
    this.#pushed = (this.#pushed + 1) >>> 0;
  }

  /** `false`: it is too long for what is free, with room left for the shortest form of all others that may come, or come again. */
  #tryPush(packed: Uint8Array): boolean {
    const left = this.#tasks.room - (this.#slots.length - this.#tasks.length) * LEAST_TASK_BYTES;
    return packed.length <= left && this.#tasks.tryPush(packed);
  }

  #rest(): void {
    if (!this.#isIdle) return;
    for (const go of this.#idlers.splice(0)) go();
    this.#onIdle();
  }
}

function tryPack(slot: number, flags: number, value: unknown): Uint8Array | undefined {
  try {
    return packTask(slot, flags, value);
  } catch {
    return undefined;
  }
}
