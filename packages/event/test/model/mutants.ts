// Mutants of the manual-reset event: each changes one line, and the case that it names must catch it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const file = 'event/src/kernel/manual-event.ts';
/** Mutants of the code that all kinds share whose waiters are admitted at once. */
const admitted = 'core/src/kernel/admitted.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'set() does not detach the chain',
    in: 'setManualEvent',
    file,
    find: 'detach(agent, bucketOf(event, word));',
    replace: '',
    caughtBy: 'one set and one waiter',
  },
  {
    name: 'set() detaches the chain before it writes the word',
    in: 'setManualEvent',
    file,
    find: 'if (cas64(event + GRANT, word, plus(word, wide(1))) !== word) return RACED;\n  detach(agent, bucketOf(event, word));',
    replace:
      'detach(agent, bucketOf(event, word)); if (cas64(event + GRANT, word, plus(word, wide(1))) !== word) return RACED;',
    caughtBy: 'one set and one waiter',
  },
  {
    name: 'set() detaches the chain of another ticket',
    in: 'setManualEvent',
    file,
    find: 'bucketOf(event, word)',
    replace: 'bucketOf(event, plus(word, wide(1)))',
    caughtBy: 'two buckets',
  },
  {
    name: 'set() runs no walk',
    in: 'ManualResetEvent.set',
    find: 'if (set !== IDLE) this.#waits.wake(set);',
    replace: '',
    caughtBy: 'a set and a reset admit a sleeper',
  },
  {
    name: 'set() writes the word without comparing it',
    in: 'setManualEvent',
    file,
    find: 'cas64(event + GRANT, word, plus(word, wide(1))) !== word',
    replace: 'cas64(event + GRANT, load64(event + GRANT), plus(load64(event + GRANT), wide(1))) === wide(7)',
    caughtBy: 'two sets and one waiter',
  },
  {
    name: 'a ticket is due at once',
    in: 'enqueueAtManualEvent',
    file,
    find: 'queue(agent, event, tag, 1, word)',
    replace: 'queue(agent, event, tag, 1, plus(word, wide(-1)))',
    caughtBy: 'one set and one waiter',
  },
  {
    name: 'a ticket is due only at the reset',
    in: 'enqueueAtManualEvent',
    file,
    find: 'queue(agent, event, tag, 1, word)',
    replace: 'queue(agent, event, tag, 1, plus(word, wide(1)))',
    caughtBy: 'one set and one waiter',
  },
  {
    name: 'a ticket comes from a second load of the word',
    in: 'enqueueAtManualEvent',
    file,
    find: 'queue(agent, event, tag, 1, word)',
    replace: 'queue(agent, event, tag, 1, load64(event + GRANT))',
    caughtBy: 'one set and one waiter',
  },
  {
    name: 'reset() makes tickets undue',
    in: 'resetManualEvent',
    file,
    find: 'plus(word, wide(1))',
    replace: 'plus(word, wide(-1))',
    caughtBy: 'a reset races a set',
  },
  {
    name: 'the only waiter cancels and leaves its element in its chain',
    in: 'leaveAdmitted',
    file: admitted,
    find: 'if (hasOwnChain) detach(agent, bucketOf(line, ticket));',
    replace: '',
    caughtBy: 'the only waiter cancels',
  },
  {
    name: 'an agent that gathers does not free the elements of cancelled waiters',
    in: 'visit',
    file: 'core/src/kernel/walk.ts',
    find: 'discard(element);',
    replace: '',
    caughtBy: 'both of two sleepers cancel at an event that is not set',
  },
  {
    name: 'an agent that gathers does not check again after it put a waiter back',
    in: 'putBack',
    file: 'core/src/kernel/walk.ts',
    find: 'reached >= wide(head ? 0 : needs)',
    replace: 'false',
    caughtBy: 'an agent gathers while one of two sleepers cancels',
  },
  {
    name: 'a waiter that cancels reuses its element while it is in its chain',
    in: 'leaveAdmitted',
    file: admitted,
    find: 'load32(element + GATE) === QUEUED',
    replace: 'true',
    caughtBy: 'a waiter may time out',
  },
  {
    name: 'a waiter that cancels ignores the verdict that came first',
    in: 'leaveAdmitted',
    file: admitted,
    find: 'if (cas32(element + GATE, LINKED, SPENT) !== LINKED) return RACED;',
    replace: 'store32(element + GATE, SPENT);',
    caughtBy: 'one of two sleepers cancels',
  },
  {
    name: 'a waiter that is in no chain is admitted without a set',
    in: 'verdictOf',
    find: 'gate === QUEUED && progress(element) >= wide(1) ? TAKEN : WAITING',
    replace: 'gate === QUEUED ? TAKEN : WAITING',
    caughtBy: 'a waiter may be aborted',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'the recovery frees the element of a cancelled waiter in its chain',
    in: 'Recovery.#withdraw',
    find: 'if (gate === ABANDONED || gate === SPENT || gate === LEFT_CHAIN) return;',
    replace:
      'if (gate === SPENT) words.store32(element + OWNER, 0); if (gate === ABANDONED || gate === SPENT || gate === LEFT_CHAIN) return;',
    caughtBy: 'death of a sleeper that cancels beside another',
  },
];
