// Mutants of the latch: each changes one line, and the case that it names must catch it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const file = 'barrier/src/kernel/latch.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the last done() does not detach the chain',
    in: 'countDown',
    file,
    find: 'detach(agent, bucketOf(latch, minus(next, wide(1))));',
    replace: '',
    caughtBy: 'one part and one waiter',
  },
  {
    name: 'the last done() detaches the chain of another ticket',
    in: 'countDown',
    file,
    find: 'bucketOf(latch, minus(next, wide(1)))',
    replace: 'bucketOf(latch, next)',
    caughtBy: 'two buckets, a waiter cancels',
  },
  {
    name: 'the last done() detaches the chain before it writes the word',
    in: 'countDown',
    file,
    find: 'const next = plus(word, wide(n));',
    replace:
      'const next = plus(word, wide(n)); detach(agent, bucketOf(latch, minus(next, wide(1)))); if (low32(next) === 0) return cas64(latch + GRANT, word, next) === word ? NEEDS_WALK : RACED;',
    caughtBy: 'one part and one waiter',
  },
  {
    name: 'the last done() runs no walk',
    in: 'CountdownLatch.done',
    find: 'if (left !== IDLE) this.#waits.wake(left);',
    replace: '',
    caughtBy: 'one part and one waiter',
  },
  {
    name: 'done() writes the word without comparing it',
    in: 'countDown',
    file,
    find: 'cas64(latch + GRANT, word, next) !== word',
    replace: 'cas64(latch + GRANT, load64(latch + GRANT), next) === wide(7)',
    caughtBy: 'two parts and one waiter',
  },
  {
    name: 'a waiter’s ticket is due one done() early',
    in: 'enqueueAtLatch',
    file,
    find: 'wide(count - 1)',
    replace: 'wide(count - 2)',
    caughtBy: 'two parts and one waiter',
  },
  {
    name: 'a waiter’s ticket is due after the round',
    in: 'enqueueAtLatch',
    file,
    find: 'wide(count - 1)',
    replace: 'wide(count)',
    caughtBy: 'one part and one waiter',
  },
  {
    name: 'a waiter’s ticket comes from a second load of the word',
    in: 'enqueueAtLatch',
    file,
    find: 'plus(word, wide(count - 1))',
    replace: 'plus(load64(latch + GRANT), wide(count - 1))',
    caughtBy: 'two parts and one waiter',
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
    name: 'add() in an open round begins another round',
    in: 'addToLatch',
    file,
    find: 'minus(word, wide(n))',
    replace: 'plus(word, pair(0 - n, 0))',
    caughtBy: 'a part is added to an open round',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'the recovery does not count down the claims of a dead agent',
    in: 'restoreClaims',
    file,
    find: 'owed === 0 ? IDLE : countDown(latch, get32(entry + ENTRY_TAG), agent, entry, owed)',
    replace: 'IDLE',
    caughtBy: 'death of an agent with a claim',
  },
  {
    name: 'done() does not remove the claim from the ledger',
    in: 'countDown',
    file,
    find: 'pay(entry, high32(word), wide(n));',
    replace: '',
    caughtBy: 'death of an agent that counts down its claim',
  },
  {
    name: 'the recovery counts down claims of an earlier round',
    in: 'pay',
    file,
    find: 'get32(entry + CLAIM_ROUND) !== round ||',
    replace: '',
    caughtBy: 'death of an agent whose claim is of an earlier round',
  },
  {
    name: 'claim() does not record the round',
    in: 'claimAtLatch',
    file,
    find: 'put32(entry + CLAIM_ROUND, high32(word));',
    replace: '',
    caughtBy: 'death of an agent whose earlier claim is over and that claims again',
  },
  {
    name: 'done() uses up a claim although it lost the race',
    in: 'countDown',
    file,
    find: 'put64(entry + ENTRY_HELD, held);',
    replace: '',
    caughtBy: 'death of an agent with a claim while another counts down, too',
  },
  {
    name: 'a recovery that counts down does not walk',
    in: 'Recovery.#restore',
    find: 'this.#finishWalk();',
    replace: '',
    caughtBy: 'death of an agent with a claim while another sleeps',
  },
];
