// The tasks that one agent has added to one task queue, through all of its objects.
//
// While the queue is paused, the agent's waiting tasks are held: they have left the line of the slots. When the queue
// starts again, they join the line in their order. An agent listens for changes of the queue while it holds tasks, or
// while a caller of it waits for a change.
//
// A dead agent announces no change. So while other agents have tasks, a listener also checks every 50 ms.

import { keepAlive, letGo } from '@sluice/core/calls';
import { orCorrupt, perLineState, type WaitErrors, type BlockRef } from '@sluice/core/internal';
import type { IntervalCall } from '../interval/interval-queue.ts';
import { PriorityLine } from '../calls/priority-line.ts';
import type { SizedSlots } from '../slots/sized-slots.ts';
import { PlaceInLine } from '../line/place-in-line.ts';
import type { SlotSource } from './slot-source.ts';
import type { SharedState } from './shared-state.ts';
import type { Task } from './task.ts';

/** The time after which a listener looks for the tasks of agents that have died, in ms. As often as agents are probed. */
const RECHECK_MS = 50;

/** A caller that waits for a change of the queue. */
interface Watcher {
  readonly holds: () => boolean;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

interface AgentTasks {
  tasks?: Tasks;
}

const agentTasksAt: (ref: BlockRef) => AgentTasks = perLineState((): AgentTasks => ({}));

/** Returns the tasks of this agent at the queue with these slots. `create` is called if it has none yet. */
export function tasksAt(slots: SizedSlots, create: () => { slotSource: SlotSource; state: SharedState }): Tasks {
  const own = agentTasksAt(slots.ref);
  if (own.tasks === undefined) {
    const { slotSource, state } = create();
    own.tasks = new Tasks(slots, slotSource, state);
  }
  return own.tasks;
}

export class Tasks {
  readonly slots: SizedSlots;
  readonly state: SharedState;
  readonly #slotSource: SlotSource;
  readonly #held = new PriorityLine<IntervalCall>();
  readonly #watchers = new Set<Watcher>();
  readonly #budget: BlockRef['context']['budget'];
  readonly #errors: WaitErrors;
  readonly #recheckMs: number;
  #isListening = false;
  /** The running functions of this agent. */
  #running = 0;

  /** `recheckMs`: the time in ms after which a listener checks again while other agents have tasks. */
  constructor(slots: SizedSlots, slotSource: SlotSource, state: SharedState, recheckMs = RECHECK_MS) {
    this.#recheckMs = recheckMs;
    this.slots = slots;
    this.state = state;
    this.#slotSource = slotSource;
    this.#budget = slots.ref.context.budget;
    slots.heldBack = this.#held;
    this.#errors = {
      timedOut: () => RECHECK,
      deadlock: (waits) => slots.errors.deadlock(waits),
      closed: () => slots.errors.closed(),
      toString: () => slots.errors.toString(),
    };
  }

  /** The number of waiting tasks of all agents. */
  get size(): number {
    this.slots.checkThere();
    return this.slots.pending(0);
  }

  /** The number of running functions of all agents. */
  get pending(): number {
    return this.slots.taken;
  }

  /**
   * Gets a slot for a new task. Returns `undefined` if the task has it at once. Otherwise the promise resolves when the
   * task may run. `wait` waits as `Task.wait` does.
   */
  start(task: Task, wait: (enter: () => void) => Promise<void>): Promise<void> | undefined {
    if (this.state.isPaused || !this.#slotSource.tryBegin() || !this.#slotSource.start()) return this.#wait(task, wait);
    task.state = 'running';
    task.counts.running += 1;
    this.#running += 1;
    return undefined;
  }

  /**
   * Spends from the budget of the event loop for a task that did not wait. Its function has already run, so the budget
   * defers the settling of `add`.
   */
  spend(): Promise<void> | undefined {
    return this.#budget.spend();
  }

  /** Called when the line grants a slot for the task. */
  onSlotGranted(task: Task): void {
    if (this.state.isPaused && this.#slotSource.tryTurnBackAtOnce()) this.#hold(task);
    else task.go();
  }

  /** Ends the run of a task. */
  end(): void {
    this.#running -= 1;
    this.#slotSource.end();
    this.changed();
  }

  /** Removes a waiting task. */
  drop(task: Task): void {
    if (task.state === 'held') {
      this.#held.remove(task);
      this.slots.notePending(this.#slotSource.size);
    } else this.#slotSource.remove(task);
  }

  reorder(task: Task, priority: number): void {
    const change = (): void => {
      task.priority = priority;
    };
    if (task.state === 'queued') this.#slotSource.reorder(task, change);
    else {
      this.#held.remove(task);
      change();
      this.#held.push(task);
    }
  }

  /** The waiting tasks of this agent. */
  waiting(): Task[] {
    return [...this.#heldTasks, ...this.#slotSource.all()];
  }

  pause(): void {
    this.state.setPaused(true);
    orCorrupt(() => this.#holdAll(), this.slots.errors);
  }

  resume(): void {
    this.state.setPaused(false);
    orCorrupt(() => this.#release(), this.slots.errors);
    this.state.notifyChange();
  }

  /** Resolves when `holds` returns true. Rejects with `ClosedError` if the queue is closed first. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#watchers.add({ holds, resolve, reject });
      keepAlive();
      this.#listen();
    });
  }

  /** Call after each change of the counts. */
  changed(): void {
    if (this.#watchers.size > 0) this.#settle();
    this.state.notifyChange();
  }

  async #wait(task: Task, wait: (enter: () => void) => Promise<void>): Promise<void> {
    const enter = (): void => this.#enter(task);
    for (;;) {
      await wait(enter);
      const later = this.#budget.spend();
      if (later !== undefined) await later;
      if (this.state.isPaused && this.#slotSource.tryTurnBackLater(task)) continue;
      if (this.#slotSource.start(task)) break;
    }
    task.state = 'running';
    this.#running += 1;
  }

  #enter(task: Task): void {
    if (this.state.isPaused) {
      // A task that was turned back comes before those in the line, so hold it first. A new task comes after them, so
      // hold them first.
      if (task.state === 'new') this.#holdAll();
      this.#hold(task);
      this.#holdAll();
    } else {
      task.state = 'queued';
      this.#slotSource.push(task);
    }
  }

  #hold(task: Task): void {
    task.state = 'held';
    this.#held.push(task);
    this.slots.notePending(this.#slotSource.size);
    this.#listen();
  }

  #holdAll(): void {
    for (const task of this.#slotSource.all()) {
      this.#slotSource.remove(task);
      this.#hold(task);
    }
  }

  #release(): void {
    for (const task of this.#heldTasks) {
      if (this.state.isPaused) return;
      this.#held.remove(task);
      task.state = 'queued';
      this.#slotSource.push(task);
    }
  }

  /** Whether this agent has to notice the changes that other agents make. */
  get #isConcerned(): boolean {
    return this.#watchers.size > 0 || this.#held.size > 0;
  }

  get #heldTasks(): Task[] {
    return this.#held.all() as Task[];
  }

  get #othersHaveTasks(): boolean {
    return this.pending > this.#running || this.size > this.#slotSource.size + this.#held.size;
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    void this.#listenUntilIdle();
  }

  /** Looks at the queue after each notification, as long as this agent is concerned. Never rejects. */
  async #listenUntilIdle(): Promise<void> {
    try {
      while (this.#isConcerned) await this.#next();
    } catch (failure) {
      this.#fail(failure);
    }
    this.#isListening = false;
  }

  async #next(): Promise<void> {
    const place = new PlaceInLine();
    const change = this.state.listen(place, this.#othersHaveTasks ? this.#recheckMs : Infinity, this.#errors);
    // In this order: see `SharedState.notifyChange`.
    this.#release();
    this.#settle();
    if (!this.#isConcerned) place.giveUp();
    try {
      await change;
    } catch (failure) {
      if (failure !== RECHECK && failure !== place.reason) throw failure;
    }
  }

  #fail(failure: unknown): void {
    for (const task of this.#heldTasks) {
      this.#held.remove(task);
      task.reject(failure);
    }
    this.slots.notePending(this.#slotSource.size);
    for (const watcher of this.#watchers) {
      this.#leave(watcher);
      watcher.reject(failure);
    }
  }

  #settle(): void {
    for (const watcher of this.#watchers) {
      if (!watcher.holds()) continue;
      this.#leave(watcher);
      watcher.resolve();
    }
  }

  #leave(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    letGo();
  }
}

const RECHECK = new Error('Check again.');
