// What async calls at a buffer would break if one line were wrong.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const ASYNC_MUTANTS: readonly Mutant[] = [
  {
    name: 'the walk frees a lock whose owner has a claim open',
    in: 'promise',
    find: 'if (owner === id && get32(side + IN_PLACE) !== 0) return false;',
    replace: '',
    caughtBy: 'an async pop makes room during a claim of its agent',
  },
  {
    name: 'an async call that gets its turn looks for its value later',
    in: 'Side.#comeIn',
    find: 'if (turn === undefined) attempt();',
    replace: '',
    caughtBy: 'an async pop may be aborted after its value came',
  },
  {
    name: 'an async call that waits for more units takes them later',
    in: 'Side.#comeIn',
    find: 'if (hasBegun) attempt(); else atOnce = true;',
    replace: 'if (!hasBegun) atOnce = true;',
    caughtBy: 'an async push of two units may be aborted after its room came',
  },
  {
    name: 'an async call that found enough before its wait began takes it later',
    in: 'Side.#comeIn',
    find: 'if (hasBegun) attempt(); else atOnce = true;',
    replace: 'if (hasBegun) attempt();',
    caughtBy: 'an async push of two units may be aborted after its room came',
  },
  {
    name: 'an async call that is aborted keeps its turn',
    in: 'Side.#comeIn',
    find: 'if (!state.entered) this.lines.giveBack(outcome);',
    replace: '',
    caughtBy: 'an async push of two units may be aborted while it has the turn',
  },
  {
    name: 'an async call counts as entered when it found too few units',
    in: 'Side.#comeIn',
    find: 'state.entered = found !== NOT_YET;',
    replace: 'state.entered = true;',
    caughtBy: 'an async push of two units may be aborted while it has the turn',
  },
  {
    name: 'an async call that took its units gives its turn back besides',
    in: 'Side.#comeIn',
    find: 'if (found !== NOT_YET) return found === WAITING && this.#isGone() ? SHUT : found;',
    replace:
      'if (found !== NOT_YET) { this.lines.giveBack(outcome); return found === WAITING && this.#isGone() ? SHUT : found; }',
    caughtBy: 'two async pops of one agent',
  },
  {
    name: 'an async call with the turn does not wait for more units',
    in: 'Side.#comeIn',
    find: 'if (found !== NOT_YET) return found === WAITING && this.#isGone() ? SHUT : found;',
    replace: 'return found;',
    caughtBy: 'an async push of two units waits behind another push',
  },
  {
    name: 'an async call that gets the lock does not use what is there',
    in: 'Side.#comeIn',
    find: 'if (found >= 0) use(found);',
    replace: 'if (found >= 0) this.commit(0, 0);',
    caughtBy: 'blocking push, async pop',
  },
  {
    name: 'an async call that has the lock after a look does not enter',
    in: 'SideLock.lockAsync',
    find: 'if (outcome === TAKEN) entered();',
    replace: '',
    caughtBy: 'blocking push, async pop',
  },
  {
    name: 'a call that has ended does not begin the next one',
    in: 'Calls.inTurn',
    find: 'first?.begin();',
    replace: '',
    caughtBy: 'two async pops of one agent',
  },
  {
    name: 'a call that fails does not begin the next one',
    in: 'Calls.inTurn',
    find: 'this.#all.delete(waiting); const [first] = this.#all; first?.begin();',
    replace:
      'this.#all.delete(waiting); const [first] = this.#all; if ((await ended.then(() => 1, () => 0)) === 1) first?.begin();',
    caughtBy: 'the first of two async pops may be aborted',
  },
  {
    name: 'a loop that is left does not end its wait',
    in: 'Loop.return',
    find: 'this.#controller.abort(LEFT);',
    replace: '',
    caughtBy: 'a loop that is left while there is no value',
  },
  {
    name: 'an async agent with the turn does not look again once it has written what it needs',
    in: 'Side.#redeem',
    find: 'this.lines.need(count); this.commit(0, 0);',
    replace: 'this.commit(0, 0); this.lines.need(count);',
    caughtBy: 'an async push of two units waits with the turn',
  },
  {
    name: 'an async call keeps what it needs when it gives its turn back',
    in: 'SideLines.giveBack',
    find: 'if (words.load32(address + NEEDED) !== 0) words.store32(address + NEEDED, 0);',
    replace: '',
    caughtBy: 'an async push of two units may be aborted while it has the turn',
  },
];
