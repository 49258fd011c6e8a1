// Mutants of conditions: each changes one line. The case that a mutant names must fail with it.

import type { Mutant } from '../../../../core/test/model/mutants.ts';

const MOVE = 'core/src/kernel/move.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a waiter unlocks the lock before it is counted',
    in: 'ConditionWait.block',
    find:
      'const element = this.#enqueue(MODE_BLOCKING); if (!isElement(element)) return element; ' +
      'context.waiting.beginWait(element, MODE_BLOCKING, context.parking.date()); const depth = this.#unlock();',
    replace:
      'const depth = this.#unlock(); const element = this.#enqueue(MODE_BLOCKING); if (!isElement(element)) return element; ' +
      'context.waiting.beginWait(element, MODE_BLOCKING, context.parking.date());',
    caughtBy: 'writer, a notification without the lock during a wait',
  },
  {
    name: 'a waiter unlocks the mutex before it is counted',
    in: 'sleepAtCondition',
    find: 'const element = enqueueAtCondition(condition, tag, agent, entry);',
    replace:
      'const early = load64(mutex + OFFICE); ' +
      'if (waitersOf(early) === 0 && isQuiet(early)) cas64(mutex + OFFICE, early, wide(0)); ' +
      'const element = enqueueAtCondition(condition, tag, agent, entry);',
    caughtBy: 'a notification without the lock during a wait',
  },
  {
    name: 'a waiter that unlocks the mutex in its turn leaves its own chain to others',
    in: 'ConditionWait.#blockAtMutex',
    find: 'if (passed === RACED) line.unlockToWait(); context.finishWalk();',
    replace: 'if (passed === RACED) line.unlockToWait(); else context.finishWalk();',
    caughtBy: 'turns, a notification without the lock while a waiter ends its turn',
  },
  {
    name: 'a wait frees the mutex although agents wait for it',
    in: 'sleepAtCondition',
    find: 'if (waitersOf(office) !== 0 || !isQuiet(office)) return passMutexInOrder(mutex, mutexTag, agent, id);',
    replace: '',
    caughtBy: 'turns, a notification with the lock held during a wait',
  },
  {
    name: 'a wait frees the mutex without a look at the waiters that were counted meanwhile',
    in: 'sleepAtCondition',
    find: 'cas64(mutex + OFFICE, office, wide(0)) !== office',
    replace: 'cas64(mutex + OFFICE, load64(mutex + OFFICE), wide(0)) === wide(-1)',
    caughtBy: 'turns, a notification with the lock held during a wait',
  },
  {
    name: 'a waiter does not wake the agent to which it has handed the mutex',
    in: 'ConditionWait.#blockAtMutex',
    find: 'if (isElement(passed)) parking.notify(passed + GATE);',
    replace: 'if (isElement(passed)) { }',
    caughtBy: 'turns, a notification with the lock held during a wait',
  },
  {
    name: 'a waiter that has handed the mutex on does not finish the walk',
    in: 'ConditionWait.#blockAtMutex',
    find: 'context.finishWalk();',
    replace: '{ }',
    caughtBy: 'a notification without the lock during a wait',
  },
  {
    name: 'a successor sleeps as a waiter of the condition',
    in: 'ConditionWait.#blockAtMutex',
    find: 'if (!this.#isMoved(element)) return this.finish(element, depth, Infinity);',
    replace: 'return this.finish(element, depth, Infinity);',
    caughtBy: 'turns, one giver, two takers',
  },
  {
    name: 'a moved waiter polls a freed mutex again',
    in: 'wakeAtCondition',
    find: 'if (seen === SHUT) return SHUT;',
    replace: '',
    caughtBy: 'the mutex is freed while a notifier moves a waiter to it',
  },
  {
    name: 'a notifier forgets a moved waiter that found no place in its chain',
    in: 'notifyAndMoveToMutex',
    find: 'return hasWork(agent) ? NEEDS_WALK : IDLE;',
    replace: 'return IDLE;',
    caughtBy: 'a sleeper is notified while another agent owns the lock',
  },
  {
    name: 'a notification grants no permit',
    in: 'notifyNext',
    find: 'return announce(condition, agent, add64(condition + GRANT, wide(1)), 1);',
    replace: 'return WAITING;',
    caughtBy: 'a notification to a sleeper',
  },
  {
    name: 'a notified waiter stays counted',
    in: 'notifyNext',
    find: 'cas32(condition + OFFICE, waiters, waiters - 1) !== waiters',
    replace: 'load32(condition + OFFICE) !== waiters',
    caughtBy: 'a notification to a sleeper',
  },
  {
    name: 'two notifiers notify the same waiter',
    in: 'notifyNext',
    find: 'if (cas32(condition + OFFICE, waiters, waiters - 1) !== waiters) return RACED;',
    replace: 'store32(condition + OFFICE, waiters - 1);',
    caughtBy: 'two notifiers, two sleepers',
  },
  {
    name: 'a waiter that cancels leaves the notification that is under way for it',
    in: 'ConditionOffice.uncount',
    find: 'return TAKEN;',
    replace: 'return CANCELLED;',
    caughtBy: 'a notification to a sleeper that may time out',
  },
  {
    name: 'a cancelled waiter stays counted',
    in: 'ConditionOffice.uncount',
    find: 'cas32(condition + OFFICE, waiters, waiters - 1) === waiters ? CANCELLED : RACED',
    replace: 'CANCELLED',
    caughtBy: 'a notification to a sleeper that may time out',
  },
  {
    name: 'a waiter that was moved is taken for one that was notified and woken',
    in: 'ConditionWait.finish',
    find: 'verdict === TAKEN && this.#isMoved(element)',
    replace: 'false',
    caughtBy: 'a notification to a sleeper',
  },
  {
    name: 'a waiter that is being moved times out',
    in: 'cancelConditionWait',
    find: 'if (gate === PROMISED || gate === PARKED) return RACED;',
    replace: '',
    caughtBy: 'a notification to a sleeper that may time out',
  },
  {
    name: 'a waiter is moved that is about to cancel',
    in: 'moveToLine',
    file: MOVE,
    find: 'if (cas32(element + GATE, PARKED, PROMISED) !== PARKED) return WAITING;',
    replace: 'if (load32(element + GATE) !== PARKED) return WAITING; store32(element + GATE, PROMISED);',
    caughtBy: 'a notification to a sleeper that may time out',
  },
  {
    name: 'a waiter that could not be counted at the lock stays promised',
    in: 'moveToLine',
    file: MOVE,
    find: 'store32(element + GATE, PARKED); return counted === RACED ? RACED : WAITING;',
    replace: 'return counted === RACED ? RACED : WAITING;',
    caughtBy: 'a sleeper is notified while another agent owns the lock',
  },
  {
    name: 'a waiter is moved before it was notified',
    in: 'moveFirst',
    file: MOVE,
    find: 'if (progress(element) < wide(1)) return WAITING;',
    replace: '',
    caughtBy: 'one of two sleepers is notified',
  },
  {
    name: 'a notifier moves a waiter to a free mutex without a permit',
    in: 'moveToLine',
    file: MOVE,
    find: 'if (counted === TAKEN) announce(line, agent, add64(line + GRANT, wide(1)), 1);',
    replace: '',
    caughtBy: 'a notification to a sleeper',
  },
  {
    name: 'a notifier counts a waiter at a free mutex as if an owner would hand over to it',
    in: 'countAtMutex',
    find: 'ownerOf(office) === 0 && !hasSuccessor(office)',
    replace: 'false',
    caughtBy: 'a notification to a sleeper',
  },
  {
    name: 'a notifier moves a writer to a free lock without a permit',
    in: 'countWriter',
    find: 'writers === 0 && readersOf(office) === 0 ? TAKEN : WAITING',
    replace: 'WAITING',
    caughtBy: 'writer, a notification to a sleeper',
  },
  {
    name: 'a notifier moves a writer to an owned lock with a permit',
    in: 'countWriter',
    find: 'writers === 0 && readersOf(office) === 0 ? TAKEN : WAITING',
    replace: 'TAKEN',
    caughtBy: 'writer, a sleeper is notified while another agent owns the lock',
  },
  {
    name: 'a wait does not unlock the mutex',
    in: 'sleepAtCondition',
    find: 'if (ownerOf(office) !== id || cas64(mutex + OFFICE, office, wide(0)) !== office) return RACED;',
    replace: '',
    caughtBy: 'turns, a notification with the lock held during a wait',
  },
  {
    name: 'a timed wait frees the mutex although others wait for it',
    in: 'InOrder.passOn',
    find: 'wakeNext(context, block, this.#policy, passed);',
    replace: '{ }',
    caughtBy: 'turns, a notification during a wait that may time out',
  },
  {
    name: 'a wait does not release the write lock',
    in: 'ReadWriteLines.unlockWriterToWait',
    find: 'this.#handOverWriter();',
    replace: '',
    caughtBy: 'writer, a notification with the lock held during a wait',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'a recovery loses the notification of a dead waiter',
    in: 'ConditionOffice.giveBack',
    find: 'const notified = notifyNext(condition, agent);',
    replace: 'const notified = WAITING as number;',
    caughtBy: 'a sleeper with another behind it may die',
  },
  {
    name: 'a wait is not recorded in the ledger',
    in: 'enqueueAtCondition',
    find: 'put64(entry + ENTRY_HELD, plus(get64(entry + ENTRY_HELD), wide(1)));',
    replace: '',
    caughtBy: 'a sleeper with another behind it may die',
  },
  {
    name: 'a recovery counts a cancelled wait of the dead agent as notified',
    in: 'cancelConditionWait',
    find: 'if (isCounted) put64(entry + ENTRY_HELD, minus(held, wide(1)));',
    replace: '',
    caughtBy: 'a sleeper may die before the notification',
  },
  {
    name: 'a recovery cancels a moved waiter at the condition',
    in: 'cancelConditionWait',
    find: 'if (isMoved(element, entry)) return dead === 0 ? TAKEN : RACED;',
    replace: 'if (dead === 0 && isMoved(element, entry)) return TAKEN;',
    caughtBy: 'a sleeper with another behind it may die',
  },
  {
    name: 'a recovery mistakes a moved waiter for one that has left',
    in: 'Recovery.#cancel',
    find: 'return MOVED;',
    replace: 'return CANCELLED;',
    caughtBy: 'a sleeper with another behind it may die',
  },
  {
    name: 'a notifier does not record the waiter that it moves as in flight',
    in: 'takeFirstOut',
    file: MOVE,
    find: 'put32(agent + AGENT_IN_FLIGHT, element);',
    replace: '',
    caughtBy: 'a notifier may die',
  },
];
