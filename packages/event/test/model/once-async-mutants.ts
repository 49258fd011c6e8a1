// Mutants of the async calls of a once: each changes one line, and the case that it names must catch it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const file = 'event/src/once-line.ts';

export const ASYNC_MUTANTS: readonly Mutant[] = [
  {
    name: 'an attempt ends before the promise of its initialiser has settled',
    in: 'OnceLine.#runBodyAsync',
    file,
    find: 'await this.#start(body);',
    replace: 'this.#start(body).catch(() => undefined);',
    caughtBy: 'async calls of two agents',
  },
  {
    name: 'an async call begins an attempt while its agent runs one',
    in: 'OnceLine.attemptAsync',
    file,
    find: 'claim === TAKEN',
    replace: 'claim === TAKEN || claim === OWN',
    caughtBy: 'a slow initialiser while its agent makes another call',
  },
  {
    name: 'an async call ends with the first attempt that it waited for',
    in: 'OnceLine.attemptAsync',
    file,
    find: 'await this.waits.enterAsync({ timeout: left, signal, ref }, undefined, timeout);',
    replace: 'await this.waits.enterAsync({ timeout: left, signal, ref }, undefined, timeout); return;',
    caughtBy: 'an async initialiser fails while other async calls wait',
  },
  {
    name: 'an async wait ends with the first attempt',
    in: 'OnceLine.stayAsync',
    file,
    find: 'await this.#watchers.enterAsync({ timeout: left, signal, ref }, undefined, timeout);',
    replace: 'await this.#watchers.enterAsync({ timeout: left, signal, ref }, undefined, timeout); return;',
    caughtBy: 'an async wait for an initialiser that throws',
  },
  {
    name: 'an async initialiser that fails makes the once done',
    in: 'OnceLine.#runBodyAsync',
    file,
    find: 'let succeeded = 0;',
    replace: 'let succeeded = 1;',
    caughtBy: 'an async initialiser that fails',
  },
  {
    name: 'the end of an async attempt wakes no waiter',
    in: 'OnceLine.#end',
    file,
    find: 'this.waits.wake(ended);',
    replace: ';',
    caughtBy: 'an async initialiser that fails',
  },
];
