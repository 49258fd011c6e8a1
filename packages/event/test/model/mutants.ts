// Mutants of the source. Each must be caught by the case that it names.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const file = 'event/src/kernel/manual-event.ts';
/** What the kinds have in common whose waiters are all admitted at once: its mutants are here. */
const admitted = 'core/src/kernel/admitted.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'set() leaves the chain where it is',
    in: 'setManualEvent',
    file,
    find: 'detach(agent, bucketOf(event, word));',
    replace: '',
    caughtBy: 'a set and a waiter',
  },
  {
    name: 'set() detaches the chain before it writes the word',
    in: 'setManualEvent',
    file,
    find: 'if (cas64(event + GRANT, word, plus(word, wide(1))) !== word) return RACED;\n  detach(agent, bucketOf(event, word));',
    replace:
      'detach(agent, bucketOf(event, word)); if (cas64(event + GRANT, word, plus(word, wide(1))) !== word) return RACED;',
    caughtBy: 'a set and a waiter',
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
    find: 'if (set !== IDLE) this.wake(set);',
    replace: '',
    caughtBy: 'a set and a reset admit a sleeper',
  },
  {
    name: 'set() writes the word without comparing it',
    in: 'setManualEvent',
    file,
    find: 'cas64(event + GRANT, word, plus(word, wide(1))) !== word',
    replace: 'cas64(event + GRANT, load64(event + GRANT), plus(load64(event + GRANT), wide(1))) === wide(7)',
    caughtBy: 'two sets and a waiter',
  },
  {
    name: 'a ticket is due at once',
    in: 'enqueueAtManualEvent',
    file,
    find: 'queue(agent, event, tag, 1, word)',
    replace: 'queue(agent, event, tag, 1, plus(word, wide(-1)))',
    caughtBy: 'a set and a waiter',
  },
  {
    name: 'a ticket is due at the reset only',
    in: 'enqueueAtManualEvent',
    file,
    find: 'queue(agent, event, tag, 1, word)',
    replace: 'queue(agent, event, tag, 1, plus(word, wide(1)))',
    caughtBy: 'a set and a waiter',
  },
  {
    name: 'a ticket comes from a second look at the word',
    in: 'enqueueAtManualEvent',
    file,
    find: 'queue(agent, event, tag, 1, word)',
    replace: 'queue(agent, event, tag, 1, load64(event + GRANT))',
    caughtBy: 'a set and a waiter',
  },
  {
    name: 'a reset makes tickets undue',
    in: 'resetManualEvent',
    file,
    find: 'plus(word, wide(1))',
    replace: 'plus(word, wide(-1))',
    caughtBy: 'a reset beside a set',
  },
  {
    name: 'the only waiter cancels and leaves its element in its chain',
    in: 'leaveAdmitted',
    file: admitted,
    find: 'if (alone) detach(agent, bucketOf(line, ticket));',
    replace: '',
    caughtBy: 'the only waiter leaves',
  },
  {
    name: 'an agent that gathers does not free what waiters left behind',
    in: 'visit',
    file: 'core/src/kernel/walk.ts',
    find: 'discard(element);',
    replace: '',
    caughtBy: 'two leave an event that is not set',
  },
  {
    name: 'an agent that gathers does not look again after it put a waiter back',
    in: 'putBack',
    file: 'core/src/kernel/walk.ts',
    find: 'reached >= wide(head ? 0 : needs)',
    replace: 'false',
    caughtBy: 'one leaves while an agent gathers',
  },
  {
    name: 'a waiter that cancels takes its element along while it is in its chain',
    in: 'leaveAdmitted',
    file: admitted,
    find: 'load32(element + GATE) === QUEUED',
    replace: 'true',
    caughtBy: 'a waiter that may time out',
  },
  {
    name: 'a waiter that cancels does not see the verdict that came first',
    in: 'leaveAdmitted',
    file: admitted,
    find: 'if (cas32(element + GATE, LINKED, SPENT) !== LINKED) return RACED;',
    replace: 'store32(element + GATE, SPENT);',
    caughtBy: 'a sleeper and one that leaves',
  },
  {
    name: 'a waiter that is in no chain is admitted without a set',
    in: 'pollAdmitted',
    file: admitted,
    find: 'gate === GRANTED || (gate === QUEUED && progress(element) >= wide(1))',
    replace: 'gate === GRANTED || gate === QUEUED',
    caughtBy: 'an abort',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'a recovery frees an element that was left behind in its chain',
    in: 'Recovery.#withdraw',
    find: 'if (gate === ABANDONED || gate === SPENT || gate === LEFT_CHAIN) return;',
    replace:
      'if (gate === SPENT) words.store32(element + OWNER, 0); if (gate === ABANDONED || gate === SPENT || gate === LEFT_CHAIN) return;',
    caughtBy: 'death of one that leaves beside a sleeper',
  },
];
