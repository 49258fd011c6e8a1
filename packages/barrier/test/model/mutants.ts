// Mutants of the source. Each must be caught by the case that it names.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const file = 'barrier/src/kernel/latch.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the last done() leaves the chain where it is',
    in: 'countDown',
    file,
    find: 'detach(agent, bucketOf(latch, minus(next, wide(1))));',
    replace: '',
    caughtBy: 'one part, one waiter',
  },
  {
    name: 'the last done() detaches the chain of another ticket',
    in: 'countDown',
    file,
    find: 'bucketOf(latch, minus(next, wide(1)))',
    replace: 'bucketOf(latch, next)',
    caughtBy: 'two buckets',
  },
  {
    name: 'the last done() detaches the chain before it writes the word',
    in: 'countDown',
    file,
    find: 'const next = plus(word, wide(n));',
    replace:
      'const next = plus(word, wide(n)); detach(agent, bucketOf(latch, minus(next, wide(1)))); if (low32(next) === 0) return cas64(latch + GRANT, word, next) === word ? NEEDS_WALK : RACED;',
    caughtBy: 'one part, one waiter',
  },
  {
    name: 'the last done() runs no walk',
    in: 'CountdownLatch.done',
    find: 'if (left !== IDLE) this.wake(left);',
    replace: '',
    caughtBy: 'one part, one waiter',
  },
  {
    name: 'done() writes the word without comparing it',
    in: 'countDown',
    file,
    find: 'cas64(latch + GRANT, word, next) !== word',
    replace: 'cas64(latch + GRANT, load64(latch + GRANT), next) === wide(7)',
    caughtBy: 'two parts, one waiter',
  },
  {
    name: 'a waiter’s ticket is due one done() early',
    in: 'enqueueAtLatch',
    file,
    find: 'wide(count - 1)',
    replace: 'wide(count - 2)',
    caughtBy: 'two parts, one waiter',
  },
  {
    name: 'a waiter’s ticket is due after the round',
    in: 'enqueueAtLatch',
    file,
    find: 'wide(count - 1)',
    replace: 'wide(count)',
    caughtBy: 'one part, one waiter',
  },
  {
    name: 'a waiter’s ticket comes from a second look at the word',
    in: 'enqueueAtLatch',
    file,
    find: 'plus(word, wide(count - 1))',
    replace: 'plus(load64(latch + GRANT), wide(count - 1))',
    caughtBy: 'two parts, one waiter',
  },
  {
    name: 'add() at count 0 stays in the round that has ended',
    in: 'addToLatch',
    file,
    find: 'plus(word, pair(0 - n, 0))',
    replace: 'minus(word, wide(n))',
    caughtBy: 'a new round begins before the waiters of the last one wake',
  },
  {
    name: 'add() in a round begins another one',
    in: 'addToLatch',
    file,
    find: 'minus(word, wide(n))',
    replace: 'plus(word, pair(0 - n, 0))',
    caughtBy: 'an open round grows',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'a dead agent’s claims are not counted down',
    in: 'restoreClaims',
    file,
    find: 'owed === 0 ? IDLE : countDown(latch, get32(entry + ENTRY_TAG), agent, entry, owed)',
    replace: 'IDLE',
    caughtBy: 'death of an agent with a claim',
  },
  {
    name: 'done() leaves the claim in the ledger',
    in: 'countDown',
    file,
    find: 'pay(entry, high32(word), wide(n));',
    replace: '',
    caughtBy: 'a claim is counted down once',
  },
  {
    name: 'claims of an earlier round count',
    in: 'pay',
    file,
    find: 'get32(entry + CLAIM_ROUND) !== round ||',
    replace: '',
    caughtBy: 'a claim of an earlier round is not counted down',
  },
  {
    name: 'a claim has no round',
    in: 'claimAtLatch',
    file,
    find: 'put32(entry + CLAIM_ROUND, high32(word));',
    replace: '',
    caughtBy: 'a claim in a later round',
  },
  {
    name: 'done() takes a claim although it lost the race',
    in: 'countDown',
    file,
    find: 'put64(entry + ENTRY_HELD, held);',
    replace: '',
    caughtBy: 'death of an agent with a claim beside another part',
  },
  {
    name: 'a recovery counts down without a walk',
    in: 'Recovery.#restore',
    find: 'this.#finishWalk();',
    replace: '',
    caughtBy: 'death of an agent with a claim, another waits asleep',
  },
];
