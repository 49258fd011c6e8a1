// Mutants of the source. Each must be caught by the case that it names.

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
    caughtBy: 'a notification without the lock against a wait',
  },
  {
    name: 'a notification grants no permit',
    in: 'notifyNext',
    find: 'return announce(condition, agent, add64(condition + GRANT, wide(1)), 1);',
    replace: 'return WAITING;',
    caughtBy: 'a notification against a sleeper',
  },
  {
    name: 'a notified waiter stays counted',
    in: 'notifyNext',
    find: 'cas32(condition + OFFICE, waiters, waiters - 1) !== waiters',
    replace: 'load32(condition + OFFICE) !== waiters',
    caughtBy: 'a notification against a sleeper',
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
    in: 'ConditionOffice.cancel',
    find: 'return TAKEN;',
    replace: 'return CANCELLED;',
    caughtBy: 'a notification against a sleeper that may time out',
  },
  {
    name: 'a cancelled waiter stays counted',
    in: 'ConditionOffice.cancel',
    find: 'cas32(condition + OFFICE, waiters, waiters - 1) === waiters ? CANCELLED : RACED',
    replace: 'CANCELLED',
    caughtBy: 'a notification against a sleeper that may time out',
  },
  {
    name: 'a waiter that was moved is taken for one that was notified and woken',
    in: 'ConditionWait.finish',
    find: 'verdict === TAKEN && this.#isMoved(element)',
    replace: 'false',
    caughtBy: 'a notification against a sleeper',
  },
  {
    name: 'a waiter that is being moved times out',
    in: 'cancelConditionWait',
    find: 'if (gate === PROMISED || gate === PARKED) return RACED;',
    replace: '',
    caughtBy: 'a notification against a sleeper that may time out',
  },
  {
    name: 'a waiter is moved that is about to cancel',
    in: 'moveToLine',
    file: MOVE,
    find: 'if (cas32(element + GATE, PARKED, PROMISED) !== PARKED) return WAITING;',
    replace: 'if (load32(element + GATE) !== PARKED) return WAITING; store32(element + GATE, PROMISED);',
    caughtBy: 'a notification against a sleeper that may time out',
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
    name: 'a waiter is moved to a free mutex and no permit follows',
    in: 'moveToLine',
    file: MOVE,
    find: 'if (counted === TAKEN) announce(line, agent, add64(line + GRANT, wide(1)), 1);',
    replace: '',
    caughtBy: 'a notification against a sleeper',
  },
  {
    name: 'a waiter is counted at a free mutex as if an owner would hand over to it',
    in: 'countAtMutex',
    find: 'ownerOf(office) === 0 && !hasSuccessor(office)',
    replace: 'false',
    caughtBy: 'a notification against a sleeper',
  },
  {
    name: 'a writer comes to a free lock and no permit follows',
    in: 'countWriter',
    find: 'writers === 0 && readersOf(office) === 0 ? TAKEN : WAITING',
    replace: 'WAITING',
    caughtBy: 'writer, a notification against a sleeper',
  },
  {
    name: 'a writer comes to an owned lock with a permit',
    in: 'countWriter',
    find: 'writers === 0 && readersOf(office) === 0 ? TAKEN : WAITING',
    replace: 'TAKEN',
    caughtBy: 'writer, a sleeper is notified while another agent owns the lock',
  },
  {
    name: 'a wait keeps the mutex',
    in: 'InOrder.unlockToWait',
    find: 'this.leave();',
    replace: '',
    caughtBy: 'turns, a notification with the lock held against a wait',
  },
  {
    name: 'a wait frees the mutex and forgets the waiters behind it',
    in: 'InOrder.passOn',
    find: 'wakeNext(context, block, this.#policy, passed);',
    replace: '{ }',
    caughtBy: 'turns, a notification with the lock held against a wait',
  },
  {
    name: 'a wait keeps the write lock',
    in: 'BoxOffice.unlockWriterToWait',
    find: 'this.#handOverWriter();',
    replace: '',
    caughtBy: 'writer, a notification with the lock held against a wait',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'the notification of a dead waiter is lost',
    in: 'ConditionOffice.giveBack',
    find: 'const notified = notifyNext(condition, agent);',
    replace: 'const notified = WAITING as number;',
    caughtBy: 'death of a sleeper before another',
  },
  {
    name: 'a wait is not recorded',
    in: 'enqueueAtCondition',
    find: 'put64(entry + ENTRY_HELD, plus(get64(entry + ENTRY_HELD), wide(1)));',
    replace: '',
    caughtBy: 'death of a sleeper before another',
  },
  {
    name: 'the cancelled wait of a dead agent counts as notified',
    in: 'cancelConditionWait',
    find: 'if (isCounted) put64(entry + ENTRY_HELD, minus(held, wide(1)));',
    replace: '',
    caughtBy: 'death before the notification',
  },
  {
    name: 'a dead waiter that was moved is cancelled at the condition',
    in: 'cancelConditionWait',
    find: 'if (isMoved(element, entry)) return dead === 0 ? TAKEN : RACED;',
    replace: 'if (dead === 0 && isMoved(element, entry)) return TAKEN;',
    caughtBy: 'death of a sleeper before another',
  },
  {
    name: 'a recovery takes a waiter that was moved for one that has left',
    in: 'Recovery.#cancel',
    find: 'return MOVED;',
    replace: 'return CANCELLED;',
    caughtBy: 'death of a sleeper before another',
  },
  {
    name: 'a waiter that was moved is not in flight',
    in: 'takeFirstOut',
    file: MOVE,
    find: 'put32(agent + AGENT_IN_FLIGHT, element);',
    replace: '',
    caughtBy: 'death of a notifier',
  },
];
