// Mutants of the event count: each changes one line, and the case that it names must catch it. Mutants of the code that
// it shares with the manual-reset event: packages/event/test/model.

import type { Mutant } from '../../../../core/test/model/mutants.ts';

const file = 'classics/src/event-count/kernel/event-count.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'advance() does not detach the chain',
    in: 'advanceEventCount',
    file,
    find: 'detach(agent, bucketOf(event, count));',
    replace: '',
    caughtBy: 'one advance and one waiter',
  },
  {
    name: 'advance() detaches the chain before it writes the count',
    in: 'advanceEventCount',
    file,
    find: 'if (cas64(event + GRANT, count, plus(count, wide(n))) !== count) return RACED;',
    replace:
      'detach(agent, bucketOf(event, count)); if (cas64(event + GRANT, count, plus(count, wide(n))) !== count) return RACED; if (n === 1) return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;',
    caughtBy: 'one advance and one waiter',
  },
  {
    name: 'advance() detaches the chain of another ticket',
    in: 'advanceEventCount',
    file,
    find: 'bucketOf(event, count)',
    replace: 'bucketOf(event, plus(count, wide(1)))',
    caughtBy: 'two buckets',
  },
  {
    name: 'advance() writes the count without comparing it',
    in: 'advanceEventCount',
    file,
    find: 'if (cas64(event + GRANT, count, plus(count, wide(n))) !== count) return RACED;',
    replace: 'cas64(event + GRANT, load64(event + GRANT), plus(count, wide(n)));',
    caughtBy: 'two agents advance',
  },
  {
    name: 'advance(2) visits only the chain of the first value',
    in: 'advanceEventCount',
    file,
    find: 'n !== 1',
    replace: 'n > 2',
    caughtBy: 'two buckets, an advance by two',
  },
  {
    name: 'advance(2) does not visit the chain of the last value',
    in: 'advanceEventCount',
    file,
    find: 'beginPost(agent, event, count, plus(count, wide(n)), n);',
    replace: 'beginPost(agent, event, count, plus(count, wide(n - 1)), n);',
    caughtBy: 'two buckets, an advance by two',
  },
  {
    name: 'advance() runs no walk',
    in: 'EventCount.advance',
    find: 'if (advanced !== IDLE) this.#waits.wake(advanced);',
    replace: '',
    caughtBy: 'one of two sleepers in one chain is due',
  },
  {
    name: 'a ticket is due one value early',
    in: 'enqueueAtEventCount',
    file,
    find: 'queue(agent, event, tag, 1, minus(due, wide(1)))',
    replace: 'queue(agent, event, tag, 1, minus(due, wide(2)))',
    caughtBy: 'one advance and one waiter',
  },
  {
    name: 'a ticket is due one value late',
    in: 'enqueueAtEventCount',
    file,
    find: 'queue(agent, event, tag, 1, minus(due, wide(1)))',
    replace: 'queue(agent, event, tag, 1, due)',
    caughtBy: 'one advance and one waiter',
  },
  {
    name: 'a value counts as reached one advance early',
    in: 'enqueueAtEventCount',
    file,
    find: 'load64(event + GRANT) >= due',
    replace: 'plus(load64(event + GRANT), wide(1)) >= due',
    caughtBy: 'one advance and one waiter',
  },
  {
    name: 'the advancing agent wakes every waiter of the chain',
    in: 'visit',
    file: 'core/src/kernel/walk.ts',
    find: 'if (progress(element) >= wide(get32(element + COUNT))) return deliverVerdict(agent, area, element, gate, GRANTED);',
    replace: 'return deliverVerdict(agent, area, element, gate, GRANTED);',
    caughtBy: 'a waiter of a later value sleeps on',
  },
  {
    name: 'an element that was put back is not checked again',
    in: 'putBack',
    file: 'core/src/kernel/walk.ts',
    find: 'reached >= wide(head ? 0 : needs)',
    replace: 'false',
    caughtBy: 'an advance puts a sleeper back while another agent advances',
  },
];
