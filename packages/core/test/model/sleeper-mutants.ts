// Mutants of the sleeper of async waits that share an element: each changes one line.

import type { Mutant } from './mutants.ts';

export const SLEEPER_MUTANTS: readonly Mutant[] = [
  {
    name: 'a sleeper does not check again after the push',
    in: 'Sleeper.#sleep',
    find: 'this.#client.settle(); if (this.#client.bucket() !== bucket) return false;',
    replace: '',
    caughtBy: 'a sleeper with one wait',
  },
  {
    name: 'a sleeper settles its waits before the push instead of after it',
    in: 'Sleeper.#sleep',
    find: 'retryWhileRaced(() => kernel.pushOntoChain(element, bucket, 0, MODE_ASYNC)); this.#at = bucket; this.#client.settle();',
    replace:
      'this.#at = bucket; this.#client.settle(); retryWhileRaced(() => kernel.pushOntoChain(element, bucket, 0, MODE_ASYNC));',
    caughtBy: 'a sleeper with one wait',
  },
  {
    name: 'a sleeper does not move when its oldest wait ends',
    in: 'Sleeper.look',
    find: 'this.#move.end();',
    replace: '{}',
    caughtBy: 'the first wait of a sleeper may be aborted, and only the second becomes due',
  },
  {
    name: 'an ended sleeper does not start again',
    in: 'Sleeper.#run',
    find: 'this.#isOn = false; if (element !== 0) this.#context.keep(element);',
    replace: 'if (element !== 0) this.#context.keep(element);',
    caughtBy: 'a wait begins after its sleeper has ended',
  },
  {
    name: 'a woken sleeper does not leave its gate',
    in: 'Sleeper.#sleep',
    find: 'kernel.moveOn(agent, element);',
    replace: '',
    caughtBy: 'a sleeper with two waits for two conditions',
  },
  {
    name: 'a sleeper reuses an element that it left in a chain',
    in: 'Sleeper.#run',
    find: 'if (!isWoken && !this.#leave(element)) element = 0;',
    replace: 'if (!isWoken) this.#leave(element);',
    caughtBy: 'a sleeper moves away from above a blocking waiter',
  },
  {
    name: 'a sleeper that moves stays in its old chain',
    in: 'Sleeper.#run',
    find: '!this.#leave(element)',
    replace: 'element < 0',
    caughtBy: 'a sleeper moves away from above a blocking waiter',
  },
];
