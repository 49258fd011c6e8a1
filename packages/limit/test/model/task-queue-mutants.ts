// Mutants of the tasks of a task queue: each changes one line, and the case that it names must catch it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const TASK_QUEUE_MUTANTS: readonly Mutant[] = [
  {
    name: 'an agent that starts the queue notifies before it does',
    in: 'Tasks.resume',
    find: 'this.state.setPaused(false); orCorrupt(() => this.#release(), this.slots.errors); this.state.notifyChange();',
    replace:
      'this.state.notifyChange(); this.state.setPaused(false); orCorrupt(() => this.#release(), this.slots.errors);',
    caughtBy: 'one agent holds a task while another starts the queue',
  },
  {
    name: 'a listener looks at the queue before it enters the line of changes',
    in: 'Tasks.#next',
    find: 'const change = this.state.listen(place, this.#othersHaveTasks ? this.#recheckMs : Infinity, this.#errors); this.#release(); this.#settle();',
    replace:
      'this.#release(); this.#settle(); const change = this.state.listen(place, this.#othersHaveTasks ? this.#recheckMs : Infinity, this.#errors);',
    caughtBy: 'one agent holds a task while another starts the queue',
  },
  {
    name: 'a listener does not release its held tasks',
    in: 'Tasks.#next',
    find: 'this.#release();',
    replace: '',
    caughtBy: 'one agent holds a task while another starts the queue',
  },
  {
    name: 'a notification wakes one of the waiters',
    in: 'SharedState.notifyChange',
    find: 'this.changes.release(waiting);',
    replace: 'this.changes.release(1);',
    caughtBy: 'two agents wait until the queue is idle while a third runs a task',
  },
  {
    name: 'an agent does not notify when a function has ended',
    in: 'Tasks.end',
    find: 'this.changed();',
    replace: '',
    caughtBy: 'one agent waits until the queue is idle while another runs a task',
  },
  {
    name: 'a paused agent starts a task that gets its slot',
    in: 'Tasks.onSlotGranted',
    find: 'this.#slotSource.tryTurnBackAtOnce()',
    replace: 'false',
    caughtBy: 'no task starts in a paused queue',
  },
  {
    name: 'a task that is turned back keeps its slot',
    in: 'PlainSlots.tryTurnBackAtOnce',
    find: 'this.#slots.giveBack();',
    replace: '',
    caughtBy: 'no task starts in a paused queue',
  },
  {
    name: 'a closed queue keeps its held tasks',
    in: 'Tasks.#fail',
    find: 'task.reject(failure);',
    replace: '',
    caughtBy: 'one agent closes the queue while others hold a task and wait',
  },
  {
    name: 'a closed queue keeps its callers waiting',
    in: 'Tasks.#fail',
    find: 'watcher.reject(failure);',
    replace: '',
    caughtBy: 'one agent closes the queue while others hold a task and wait',
  },
];
