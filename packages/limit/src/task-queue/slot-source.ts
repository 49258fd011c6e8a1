// How the tasks of one agent get slots: through the queue of a limit, with an interval or without.

import { perLineState, type BlockRef } from '@sluice/core/internal';
import { IntervalQueue } from '../interval/interval-queue.ts';
import { IntervalSlots } from '../interval/interval-slots.ts';
import { SlotQueue } from '../calls/slot-queue.ts';
import type { SizedSlots } from '../slots/sized-slots.ts';
import type { Task } from './task.ts';

export interface SlotSource {
  /** The number of queued tasks. */
  readonly size: number;
  /** Takes a slot for a new task if it need not wait. Returns whether it did. Then `start` must follow. */
  tryBegin(): boolean;
  /**
   * Lets a task with a slot start, right before its function. Returns false if the task has to wait again; then its
   * slot is released, and `push` must follow. `task`: absent if the task has not waited yet.
   */
  start(task?: Task): boolean;
  /** Queues a task. Calls its `begin`, now or later, when it has a slot. */
  push(task: Task): void;
  /** Removes a queued task. */
  remove(task: Task): void;
  /** Returns the slot of a task in its `begin`, if the queue allows that. Returns whether it did. */
  tryTurnBackAtOnce(): boolean;
  /** Returns the slot of a task after its `begin`, if that was not allowed in it. Returns whether it did. */
  tryTurnBackLater(task: Task): boolean;
  reorder(task: Task, change: () => void): void;
  all(): readonly Task[];
  /** Hands on the slot of a task whose function has ended. */
  end(): void;
}

export function slotSourceOver(slots: SizedSlots): SlotSource {
  return slots instanceof IntervalSlots ? new IntervalSlotSource(slots) : new PlainSlots(slots);
}

const queueAt: (ref: BlockRef) => SlotQueue = perLineState(() => new SlotQueue());
const intervalQueueAt: (ref: BlockRef) => IntervalQueue = perLineState(() => new IntervalQueue());

export class PlainSlots implements SlotSource {
  readonly #slots: SizedSlots;
  readonly #queue: SlotQueue;

  constructor(slots: SizedSlots) {
    this.#slots = slots;
    this.#queue = queueAt(slots.ref);
  }

  get size(): number {
    return this.#queue.size;
  }

  tryBegin(): boolean {
    // A task that has its slot, but has not started yet, comes first.
    return this.#queue.isEmpty && this.#queue.arriving === 0 && this.#slots.tryTake();
  }

  start(task?: Task): boolean {
    if (task !== undefined) this.#queue.arriving -= 1;
    return true;
  }

  push(task: Task): void {
    this.#queue.push(task, this.#slots);
  }

  remove(task: Task): void {
    this.#queue.remove(task, this.#slots);
  }

  tryTurnBackAtOnce(): boolean {
    this.#queue.arriving -= 1;
    this.#slots.giveBack();
    return true;
  }

  tryTurnBackLater(): boolean {
    return false;
  }

  reorder(task: Task, change: () => void): void {
    this.#queue.reorder(task, change);
  }

  all(): readonly Task[] {
    return this.#queue.all() as Task[];
  }

  end(): void {
    this.#queue.passOn(this.#slots);
  }
}

export class IntervalSlotSource implements SlotSource {
  readonly #slots: IntervalSlots;
  readonly #queue: IntervalQueue;

  constructor(slots: IntervalSlots) {
    this.#slots = slots;
    this.#queue = intervalQueueAt(slots.ref);
  }

  get size(): number {
    return this.#queue.size;
  }

  tryBegin(): boolean {
    return this.#queue.tryBegin(this.#slots);
  }

  start(task?: Task): boolean {
    const hasStarted = this.#queue.start(this.#slots, task);
    if (!hasStarted && task !== undefined) task.hasReturned = true;
    return hasStarted;
  }

  push(task: Task): void {
    this.#queue.push(task, this.#slots);
  }

  remove(task: Task): void {
    this.#queue.remove(task, this.#slots);
  }

  /** Always false: the queue sends a task in a step of its own, which must end first. */
  tryTurnBackAtOnce(): boolean {
    return false;
  }

  tryTurnBackLater(task: Task): boolean {
    this.#queue.turnBack(task, this.#slots);
    return true;
  }

  reorder(task: Task, change: () => void): void {
    this.#queue.reorder(task, change);
  }

  all(): readonly Task[] {
    return this.#queue.all() as Task[];
  }

  end(): void {
    this.#queue.passOn(this.#slots);
  }
}
