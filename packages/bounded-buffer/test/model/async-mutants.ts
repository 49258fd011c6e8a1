// Mutants of the async calls of a bounded buffer: each changes one line.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const ASYNC_MUTANTS: readonly Mutant[] = [
  {
    name: 'the walk frees a lock whose owner has a claim open',
    in: 'serveSide',
    find: 'if (owner === id && get32(side + IN_PLACE) !== 0) return false;',
    replace: '',
    caughtBy: 'an async pop makes room during a claim of its agent',
  },
  {
    name: 'a granted async call does not attempt at once',
    in: 'enterAsHead',
    find: 'if (earlier === undefined) attempts.make();',
    replace: '',
    caughtBy: 'an async pop may be aborted after its value came',
  },
  {
    name: 'an async call that waits for more units does not attempt when they come',
    in: 'Attempts.#begin',
    find: 'if (hasBegun) this.make(); else atOnce = true;',
    replace: 'if (!hasBegun) atOnce = true;',
    caughtBy: 'an async push of two units may be aborted after its room came',
  },
  {
    name: 'an async call that found enough before its wait began does not attempt at once',
    in: 'Attempts.#begin',
    find: 'if (hasBegun) this.make(); else atOnce = true;',
    replace: 'if (hasBegun) this.make();',
    caughtBy: 'an async push of two units may be aborted after its room came',
  },
  {
    name: 'an aborted async call stays the head of the line',
    in: 'enterAsHead',
    find: 'if (!attempts.isDone) lines.giveBack(outcome);',
    replace: '',
    caughtBy: 'an async push of two units may be aborted while it is the head of the line',
  },
  {
    name: 'an async call that found too few units counts as entered',
    in: 'enterAsHead',
    find: 'attempts.isDone = found !== STAYS_HEAD;',
    replace: 'attempts.isDone = true;',
    caughtBy: 'an async push of two units may be aborted while it is the head of the line',
  },
  {
    name: 'an async call that took its units also gives up the head of the line',
    in: 'enterAsHead',
    find: "return found === STAYS_HEAD ? 'wait' : 'done';",
    replace: "if (found !== STAYS_HEAD) lines.giveBack(outcome); return found === STAYS_HEAD ? 'wait' : 'done';",
    caughtBy: 'two async pops of one agent',
  },
  {
    name: 'an async call at the head of the line does not wait for further units',
    in: 'enterAsHead',
    find: "return found === STAYS_HEAD ? 'wait' : 'done';",
    replace: "return 'done';",
    caughtBy: 'an async push of two units waits behind another push',
  },
  {
    name: 'an async call that gets the lock does not use the units that are there',
    in: 'enterAsHead',
    find: 'if (found >= 0) use(found);',
    replace: 'if (found >= 0) side.commit(0, 0);',
    caughtBy: 'a blocking push and an async pop',
  },
  {
    name: 'an async call that gets the lock after an attempt does not enter',
    in: 'SideLock.lockAsync',
    find: 'if (outcome === TAKEN) entered();',
    replace: '',
    caughtBy: 'a blocking push and an async pop',
  },
  {
    name: 'a call that has ended does not start the next one',
    in: 'SideCalls.inOrder',
    find: 'first?.begin();',
    replace: '',
    caughtBy: 'two async pops of one agent',
  },
  {
    name: 'a call that fails does not start the next one',
    in: 'SideCalls.inOrder',
    find: 'this.#all.delete(waiting); const [first] = this.#all; first?.begin();',
    replace:
      'this.#all.delete(waiting); const [first] = this.#all; if ((await ended.then(() => 1, () => 0)) === 1) first?.begin();',
    caughtBy: 'the first of two async pops may be aborted',
  },
  {
    name: 'return() of a loop does not abort its wait',
    in: 'TakeIterator.return',
    find: 'this.#controller.abort(LEFT);',
    replace: '',
    caughtBy: 'a loop ends early while there is no value',
  },
  {
    name: 'an async head of the line does not check again after it wrote NEEDED',
    in: 'Side.redeem',
    find: 'this.lines.need(count); this.commit(0, 0);',
    replace: 'this.commit(0, 0); this.lines.need(count);',
    caughtBy: 'an async push of two units waits as the head of the line',
  },
  {
    name: 'an async call does not clear NEEDED when it gives up the head of the line',
    in: 'SideLines.giveBack',
    find: 'if (words.load32(address + NEEDED) !== 0) words.store32(address + NEEDED, 0);',
    replace: '',
    caughtBy: 'an async push of two units may be aborted while it is the head of the line',
  },
];
