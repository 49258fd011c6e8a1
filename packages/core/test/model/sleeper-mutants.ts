// Mutants of the sleeper of async waits that share an element: the source with one line wrong.

import type { Mutant } from './mutants.ts';

export const SLEEPER_MUTANTS: readonly Mutant[] = [
  {
    name: 'a sleeper does not check again after the push',
    in: 'Sleeper.#sleep',
    find: 'this.#vigil.settle(); if (this.#vigil.bucket() !== bucket) return false;',
    replace: '',
    caughtBy: 'one wait of a sleeper',
  },
  {
    name: 'a sleeper settles its waits before the push instead of after it',
    in: 'Sleeper.#sleep',
    find: 'for (let tries = 1; kernel.pushOntoChain(element, bucket, 0, MODE_ASYNC) === RACED; tries++) mayRetry(tries); this.#at = bucket; this.#vigil.settle();',
    replace:
      'this.#at = bucket; this.#vigil.settle(); for (let tries = 1; kernel.pushOntoChain(element, bucket, 0, MODE_ASYNC) === RACED; tries++) mayRetry(tries);',
    caughtBy: 'one wait of a sleeper',
  },
  {
    name: 'a sleeper does not move when its oldest wait ends',
    in: 'Sleeper.look',
    find: 'this.#move.end();',
    replace: '{}',
    caughtBy: 'the first wait of a sleeper may be aborted, and only the second is due',
  },
  {
    name: 'a sleeper that has ended does not start again',
    in: 'Sleeper.#run',
    find: 'this.#isOn = false; if (element !== 0) this.#context.keep(element);',
    replace: 'if (element !== 0) this.#context.keep(element);',
    caughtBy: 'a wait of a sleeper that had ended',
  },
  {
    name: 'a sleeper that was woken does not leave its gate',
    in: 'Sleeper.#sleep',
    find: 'kernel.moveOn(agent, element);',
    replace: '',
    caughtBy: 'two waits of a sleeper for two conditions',
  },
  {
    name: 'a sleeper uses an element again that it left in a chain',
    in: 'Sleeper.#run',
    find: 'if (!isWoken && !this.#leave(element)) element = 0;',
    replace: 'if (!isWoken) this.#leave(element);',
    caughtBy: 'a sleeper leaves a blocking waiter below it',
  },
  {
    name: 'a sleeper that moves stays in the chain',
    in: 'Sleeper.#run',
    find: '!this.#leave(element)',
    replace: 'element < 0',
    caughtBy: 'a sleeper leaves a blocking waiter below it',
  },
];
