// Mutants of the estimate of an adaptive limit: each changes one line, and the case that it names must catch it.

import type { Mutant } from '../../../../core/test/model/mutants.ts';

const ADD = 'two agents add their samples';
const READ = 'one agent reads while another adds samples';
const RAISE = 'two agents end calls of one window';
const DEATH = 'death of an agent that raises the size';

export const ESTIMATE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a reader does not look at the version again',
    in: 'SharedEstimate.read',
    find: 'words.load32(this.#at + VERSION) === version',
    replace: 'version === version',
    caughtBy: READ,
  },
  {
    name: 'a reader takes the copy that is being written',
    in: 'SharedEstimate.read',
    find: 'this.#copy(version & 1)',
    replace: 'this.#copy(~version & 1)',
    caughtBy: READ,
  },
  {
    name: 'an agent writes the current copy',
    in: 'SharedEstimate.write',
    find: 'offsetOf(version & 1)',
    replace: 'offsetOf(~version & 1)',
    caughtBy: ADD,
  },
  {
    name: 'an agent makes a copy the current one before it has written it',
    in: 'SharedEstimate.write',
    find: 'this.#halves.forEach((half, index) => words.store32(at + 4 * index, half)); words.store32(this.#at + VERSION, version);',
    replace:
      'words.store32(this.#at + VERSION, version); this.#halves.forEach((half, index) => words.store32(at + 4 * index, half));',
    caughtBy: READ,
  },
  {
    name: 'an agent adds samples without the lock',
    in: 'Tuner.#add',
    find: 'return;',
    replace: '{ this.#change(); return; }',
    caughtBy: ADD,
  },
  {
    name: 'an agent keeps the lock',
    in: 'Tuner.#add',
    find: 'this.#lock.release();',
    replace: '',
    caughtBy: ADD,
  },
  {
    name: 'an agent drops its samples if another one has the lock',
    in: 'Tuner.#add',
    find: 'return;',
    replace: '{ this.#forget(this.#epoch); return; }',
    caughtBy: ADD,
  },
  {
    name: 'an agent adds samples twice',
    in: 'Tuner.#change',
    find: 'this.#forget(state.epoch); this.#shared.write(next);',
    replace: 'this.#shared.write(next);',
    caughtBy: ADD,
  },
  {
    name: 'an agent adds samples of an earlier epoch',
    in: 'Tuner.#change',
    find: 'this.#epoch !== state.epoch',
    replace: 'false',
    caughtBy: RAISE,
  },
  {
    name: 'an agent changes the state and not the number of slots',
    in: 'Tuner.#change',
    find: 'if (next.epoch !== state.epoch) this.#apply(next);',
    replace: '',
    caughtBy: RAISE,
  },
  {
    name: 'a change of the size begins no epoch',
    in: 'Tuner.#next',
    find: 'isSame ? epoch : (epoch + 1) | 0',
    replace: 'epoch',
    caughtBy: RAISE,
  },
  {
    name: 'the samples of a window stay in the next one',
    in: 'Tuner.#next',
    find: 'samples: NONE',
    replace: 'samples: sums',
    caughtBy: RAISE,
  },
  {
    name: 'an agent does not set the number of slots that a dead agent left',
    in: 'Tuner.#change',
    find: 'if (this.#shared.epoch !== state.epoch) this.#apply(state);',
    replace: '',
    caughtBy: DEATH,
  },
  {
    name: 'an agent begins an epoch before it sets the number of slots',
    in: 'Tuner.#apply',
    find: 'this.#slots.resize(Math.floor(state.estimate.size)); this.#shared.begin(state);',
    replace: 'this.#shared.begin(state); this.#slots.resize(Math.floor(state.estimate.size));',
    caughtBy: DEATH,
  },
  {
    name: 'the size exceeds the maximum',
    in: 'settleBaseline',
    find: 'Math.min(terms.max, size + more)',
    replace: 'size + more',
    caughtBy: 'a window ends at the maximum',
  },
  {
    name: 'the size falls below the minimum',
    in: 'afterOverload',
    find: 'Math.max(min, last.size * OVERLOAD_FACTOR)',
    replace: 'last.size * OVERLOAD_FACTOR',
    caughtBy: 'a window of overloads ends at the minimum',
  },
];
