// The source with one line wrong. Each must be caught by the case that it names: a model that no mutant fails proves nothing.
// Files are named from the core's src.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a handover gives no permit',
    file: 'kernel/mutex.ts',
    find: 'return announce(mutex, agent, add64(mutex + GRANT, wide(1)), 1);',
    replace: 'return announce(mutex, agent, load64(mutex + GRANT), 1);',
    caughtBy: 'two agents',
  },
  {
    name: 'a handover leaves its waiter counted',
    file: 'kernel/mutex.ts',
    find: '((waiters - 1) << WAITERS)',
    replace: '(waiters << WAITERS)',
    caughtBy: 'two agents',
  },
  {
    name: 'a handover wakes nobody',
    file: 'semaphore/bouncer.ts',
    find: 'else wakeNext(this.#context, this.#address, this.#policy);',
    replace: '',
    caughtBy: 'two agents',
  },
  {
    name: 'a waiter is counted though the mutex became free',
    file: 'kernel/mutex.ts',
    find: 'if (cas64(mutex + OFFICE, office, plus(office, pair(0, WAITER))) !== office) return RACED;',
    replace: 'add64(mutex + OFFICE, pair(0, WAITER));',
    caughtBy: 'two agents',
  },
  {
    name: 'who gets the permit does not occupy',
    file: 'kernel/wait.ts',
    find: '    occupy(sem, get32(element + OWNER), entry);\n    store32(element + GATE, FREE);',
    replace: '    store32(element + GATE, FREE);',
    caughtBy: 'two agents',
  },
  {
    name: 'who takes a promised permit does not occupy',
    file: 'kernel/leave.ts',
    find: '  occupy(sem, id, entry);\n',
    replace: '',
    caughtBy: 'the only one in line leaves',
  },
  {
    name: 'who takes a promised permit leaves its element to the walker',
    file: 'kernel/leave.ts',
    find: 'const found = cas32(element + GATE, LINKED, SPENT);',
    replace: 'const found = cas32(element + GATE, LINKED, LINKED);',
    caughtBy: 'the only one in line leaves',
  },
  {
    name: 'who takes a promised permit keeps its element',
    file: 'semaphore/waits.ts',
    find: 'if (verdict !== CANCELLED_LEFT_BEHIND && verdict !== ADMITTED_DETACHED) context.keep(element);',
    replace: 'if (verdict !== CANCELLED_LEFT_BEHIND) context.keep(element);',
    caughtBy: 'three agents, one tries twice',
  },
  {
    name: 'who gives up stays counted',
    file: 'kernel/leave.ts',
    find: 'const counted = cancelAtOffice(agent, get32(element + SEM));',
    replace: 'const counted = OUT;',
    caughtBy: 'both may give up',
  },
  {
    name: 'who gives up does not see that a handover is under way for it',
    file: 'kernel/mutex.ts',
    find: 'if (waitersOf(office) === 0) return TAKEN;',
    replace: 'if (waitersOf(office) === 0) return OUT;',
    caughtBy: 'one of two may give up',
  },
  {
    name: 'who gives up is counted out twice',
    file: 'kernel/leave.ts',
    find: '  put32(element + LEAVING, 1);\n  const counted = cancelAtOffice(agent,',
    replace: '  const counted = cancelAtOffice(agent,',
    caughtBy: 'the first of two leaves',
  },
  {
    name: 'an element remembers that its last wait was given up',
    file: 'kernel/mutex.ts',
    find: '  put32(element + LEAVING, 0);\n',
    replace: '',
    caughtBy: 'one of two may give up twice',
  },
  {
    // The first version did this.
    name: 'who takes a promised permit looks at its element once more',
    file: 'kernel/leave.ts',
    find: 'occupy(sem, id, entry);',
    replace: 'occupy(sem, get32(element + OWNER), entry);',
    caughtBy: 'who leaves is late',
  },
  {
    name: 'a permit that reaches one that left goes no further',
    file: 'kernel/leave.ts',
    find: '  announce(sem, agent, add64(sem + GRANT, wide(1)), 1);\n',
    replace: '',
    caughtBy: 'the first of two leaves',
  },
  {
    name: 'a permit that reaches one that left is announced to nobody',
    file: 'kernel/leave.ts',
    find: '  announce(sem, agent, add64(sem + GRANT, wide(1)), 1);\n',
    replace: '  add64(sem + GRANT, wide(1));\n',
    caughtBy: 'two buckets, the first of two leaves',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'a mutex that was repaired is taken over again',
    file: 'lock-health.ts',
    find: 'if (this.#words.load32(this.#word) === CONSISTENT) return false;',
    replace: '',
    caughtBy: 'two take over at once',
  },
  {
    name: 'a take-over says that there is nothing to repair before it was done',
    file: 'lock-health.ts',
    find: '    this.#words.store32(this.#word, INHERITED);\n    return true;',
    replace: '    this.#words.store32(this.#word, CONSISTENT);\n    return true;',
    caughtBy: 'two take over at once',
  },
  {
    name: 'a take-over does not wait until it owns the mutex',
    file: 'owned-lock.ts',
    find: '    this.enter();\n    return this.#succeed();',
    replace: '    return this.#succeed();',
    caughtBy: 'two take over at once',
  },
  {
    name: 'a take-over that finds nothing to repair keeps the mutex',
    file: 'owned-lock.ts',
    find: '    if (this.health.takeOver()) return new RecoveryGuard(this);\n    this.#giveBack();',
    replace: '    if (this.health.takeOver()) return new RecoveryGuard(this);',
    caughtBy: 'two take over at once',
  },
  {
    name: 'what a dead owner had is not passed on',
    file: 'arena/recovery.ts',
    find: 'do passed = kernel.releaseForDeadOwner(this.#record, line);\n    while (passed === RACED);',
    replace: 'passed = 0;',
    caughtBy: 'death of one of two',
  },
  {
    name: 'nobody is told that the owner died',
    file: 'kernel/recover.ts',
    find: 'else if (!isUnseen(office)) orphan(lock);',
    replace: '',
    caughtBy: 'death of one of two',
  },
  {
    name: 'the mutex is passed on before the notice is there',
    file: 'kernel/recover.ts',
    find:
      '  else if (!isUnseen(office)) orphan(lock);\n  if ((flags & FLAG_BARGING) !== 0) return passTts(lock, agent, id);\n' +
      '  if ((flags & FLAG_QUEUED) !== 0) return handOverQueued(lock, agent, id);\n  put32(lock + DEPTH, 0);\n' +
      '  return handOver(lock, agent, id);',
    replace:
      '  put32(lock + DEPTH, 0);\n  const left = handOver(lock, agent, id);\n' +
      '  if (!isUnseen(office)) orphan(lock);\n  return left;',
    caughtBy: 'death of one of two',
  },
  {
    name: 'a free mutex does not say that there is notice',
    file: 'kernel/mutex.ts',
    find: 'const notice = load32(mutex + HEALTH) === CONSISTENT ? 0 : NOTICE;',
    replace: 'const notice = 0;',
    caughtBy: 'death of one of two',
  },
  {
    name: 'a dead agent that never knew counts as an owner',
    file: 'kernel/recover.ts',
    find: 'if ((flags & (FLAG_MUTEX | FLAG_BARGING | FLAG_QUEUED)) !== 0) markUnseen(sem);',
    replace: 'if ((flags & FLAG_MUTEX) !== 0) return left;',
    caughtBy: 'death of one of two',
  },
  {
    name: 'a notice that was declined is gone',
    file: 'lock-health.ts',
    find: 'decline(): void {\n    this.#words.store32(this.#word, ORPHANED);',
    replace: 'decline(): void {\n    this.#words.store32(this.#word, CONSISTENT);',
    caughtBy: 'death beside one that runs a body',
  },
  {
    name: 'the heir of a recursive mutex gets its depth, too',
    file: 'kernel/recover.ts',
    find: '  put32(lock + DEPTH, 0);\n',
    replace: '',
    caughtBy: 'recursive, death of one of two',
  },
  {
    name: 'an element that lies in a chain is given back for the dead',
    file: 'arena/recovery.ts',
    find: 'if (left === CANCELLED_LEFT_BEHIND || left === ADMITTED_DETACHED) return;',
    replace: 'if (left === CANCELLED_LEFT_BEHIND) return;',
    caughtBy: 'death of a waiter',
  },
];
