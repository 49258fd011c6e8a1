// Mutants of the source of the once. Each must be caught by the case that it names.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const file = 'event/src/kernel/once.ts';
const line = 'event/src/once-line.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the once is done before its initialiser has run', in: 'OnceLine.#run', file: line,
    find: 'try {\n      body();\n      succeeded = 1;\n    } finally {\n      this.#end(succeeded);\n    }', replace: 'succeeded = 1; this.#end(succeeded); body();', caughtBy: 'two agents',
  },
  { name: 'an attempt begins although one runs', in: 'claimOnce', file, find: 'if (state !== ONCE_IDLE) return WAITING;', replace: 'if (state !== ONCE_IDLE) return TAKEN;', caughtBy: 'a close beside an initialiser that throws' },
  { name: 'an attempt begins without a comparison', in: 'claimOnce', file, find: 'cas64(once + GRANT, word, plus(word, wide(id))) === word', replace: 'cas64(once + GRANT, load64(once + GRANT), plus(word, wide(id))) !== wide(7)', caughtBy: 'two agents' },
  { name: 'an attempt that succeeds leaves the once idle', in: 'endGuarded', file, find: 'succeeded === 0 ? ONCE_IDLE : doneState(tag)', replace: 'ONCE_IDLE', caughtBy: 'two agents' },
  { name: 'an attempt that fails makes the once done', in: 'endGuarded', file, find: 'succeeded === 0 ? ONCE_IDLE : doneState(tag)', replace: 'doneState(tag)', caughtBy: 'an initialiser that throws' },
  { name: 'an attempt that fails wakes no waiter', in: 'OnceLine.#end', file: line, find: 'if (ended !== FOREIGN) this.wake(ended);', replace: 'if (ended !== FOREIGN && succeeded === 1) this.wake(ended);', caughtBy: 'an initialiser that throws' },
  { name: 'an attempt that succeeds wakes no waiter', in: 'OnceLine.#end', file: line, find: 'if (ended !== FOREIGN) this.wake(ended);', replace: 'if (ended !== FOREIGN) { if (succeeded === 0) this.wake(ended); }', caughtBy: 'two agents' },
  { name: 'an attempt ends and its chain stays', in: 'endAttempt', file, find: 'detach(agent, bucketOf(once, pair(-1, high32(word))));', replace: '', caughtBy: 'two agents' },
  {
    name: 'the chain is detached before the word is written', in: 'endAttempt', file,
    find: 'if (cas64(once + GRANT, word, pair(state, high32(plus(word, pair(0, 1))))) !== word) return false;\n  detach(agent, bucketOf(once, pair(-1, high32(word))));',
    replace: 'detach(agent, bucketOf(once, pair(-1, high32(word)))); if (cas64(once + GRANT, word, pair(state, high32(plus(word, pair(0, 1))))) !== word) return false;',
    caughtBy: 'two agents',
  },
  { name: 'the chain of another ticket is detached', in: 'endAttempt', file, find: 'bucketOf(once, pair(-1, high32(word)))', replace: 'bucketOf(once, pair(0, high32(word)))', caughtBy: 'two buckets' },
  { name: 'an attempt ends and is not counted', in: 'endAttempt', file, find: 'high32(plus(word, pair(0, 1)))', replace: 'high32(word)', caughtBy: 'a sleeper while an initialiser throws' },
  { name: 'a ticket is of the next attempt', in: 'enqueueAtOnce', file, find: 'pair(-1, high32(word))', replace: 'pair(-1, high32(plus(word, pair(0, 1))))', caughtBy: 'two agents' },
  { name: 'a ticket comes from a second look at the word', in: 'enqueueAtOnce', file, find: 'pair(-1, high32(word))', replace: 'pair(-1, high32(load64(once + GRANT)))', caughtBy: 'two agents' },
  { name: 'a call that could begin an attempt waits for one', in: 'enqueueAtOnce', file, find: 'state < ONCE_IDLE || (state === ONCE_IDLE && toEnd === 0)', replace: 'state < ONCE_IDLE', caughtBy: 'an initialiser that throws' },
  { name: 'a waiter takes an attempt that failed for the end', in: 'OnceLine.stay', file: line, find: 'if (!this.#watch(left)) return false;', replace: 'return this.#watch(left);', caughtBy: 'a waiter, and an initialiser that throws' },
  { name: 'a call takes an attempt that failed for a success', in: 'OnceLine.attempt', file: line, find: 'if (!this.enter(left)) return false;', replace: 'return this.enter(left);', caughtBy: 'an initialiser that throws' },
  { name: 'a once that runs is taken for done', in: 'OnceLine.#isFound', file: line, find: 'this.#words.load32(this.#word) !== doneState(this.#localState.tag)', replace: 'this.#words.load32(this.#word) === 0', caughtBy: 'two agents' },
  { name: 'the end of an attempt reopens a once that was closed', in: 'endGuarded', file, find: 'if (low32(word) !== get32(agent + OWNER)) return FOREIGN;', replace: '', caughtBy: 'a close beside an initialiser that throws' },
  { name: 'a close undoes that it is done', in: 'closeOnce', file, find: 'state === ONCE_CLOSED || (state === doneState(tag) && andDone === 0)', replace: 'state === ONCE_CLOSED', caughtBy: 'a close after the end' },
  { name: 'a close wakes no waiter', in: 'OnceLine.#closed', file: line, find: 'if (closed === TAKEN) this.wake(NEEDS_WALK);', replace: '', caughtBy: 'a close while an initialiser runs' },
  { name: 'a call begins an attempt at a once that is closed', in: 'claimOnce', file, find: 'if (state === ONCE_CLOSED) return REFUSED;', replace: 'if (state === ONCE_CLOSED) { cas64(once + GRANT, word, pair(get32(agent + OWNER), high32(word))); return TAKEN; }', caughtBy: 'a close beside a call' },
  { name: 'an agent that lost the race stays the holder of the attempt', in: 'claimOnce', file, find: 'put64(entry + ENTRY_HELD, wide(0));\n  return RACED;', replace: 'return RACED;', caughtBy: 'two agents' },
  { name: 'an agent stays the holder of an attempt that has ended', in: 'endGuarded', file, find: 'put64(entry + ENTRY_HELD, wide(0));', replace: '', caughtBy: 'two agents' },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  { name: 'the attempt of a dead agent goes on for ever', in: 'restoreOnce', file, find: 'endAttempt(once, agent, word, ONCE_IDLE);', replace: ';', caughtBy: 'death of an agent that runs' },
  { name: 'the recovery makes the once done', in: 'restoreOnce', file, find: 'endAttempt(once, agent, word, ONCE_IDLE)', replace: 'endAttempt(once, agent, word, doneState(load32(once + BLOCK_TAG)))', caughtBy: 'death of an agent that runs' },
  { name: 'the recovery ends the attempt of a living agent', in: 'restoreOnce', file, find: 'low32(word) === get32(agent + OWNER)', replace: 'low32(word) > ONCE_IDLE', caughtBy: 'death of a sleeper' },
  { name: 'the recovery ends an attempt without counting it', in: 'restoreOnce', file, find: 'endAttempt(once, agent, word, ONCE_IDLE)', replace: 'cas64(once + GRANT, word, pair(ONCE_IDLE, high32(word)))', caughtBy: 'death of an agent that runs, and another sleeps' },
];
