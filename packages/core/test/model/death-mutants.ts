// What deaths would break if one line of the recovery, or of a record for it, were wrong.

import type { Mutant } from './mutants.ts';

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'a grant that was looked at is not recorded in the same step',
    file: 'kernel/wait.ts',
    find: '  credit(entry, wide(get32(element + COUNT)));\n  return TAKEN;',
    replace: '  return TAKEN;',
    caughtBy: 'death with one permit',
  },
  {
    name: 'permits taken without a wait are not recorded in the same step',
    file: 'kernel/admit.ts',
    find: '    credit(entry, want);\n    return TAKEN;\n  }\n  return queue',
    replace: '    return TAKEN;\n  }\n  return queue',
    caughtBy: 'death with one permit',
  },
  {
    name: 'what is restored is taken out of the ledger one step late',
    file: 'kernel/recover.ts',
    find: '  put64(entry + ENTRY_HELD, wide(0));\n  if ((get32(sem + FLAGS) & (FLAG_BOX',
    replace: '  if ((get32(sem + FLAGS) & (FLAG_BOX',
    caughtBy: 'death of a reclaimer',
  },
  {
    name: 'the chain of a dead walker is dropped',
    file: 'arena/agent-context.ts',
    find: 'const next = this.kernel.walk(agent);',
    replace: 'const next = this.kernel.walk(this.agent);',
    caughtBy: 'death with one permit',
  },
  {
    name: 'a walker does not record whom it is about to wake',
    file: 'kernel/walk.ts',
    find: '  put32(agent + AGENT_NOTIFY, element);\n',
    replace: '',
    caughtBy: 'death with one permit',
  },
  {
    name: 'whom a dead walker was about to wake is not woken',
    file: 'arena/recovery.ts',
    find: 'if (handed !== 0) this.#context.notify(handed);',
    replace: '',
    caughtBy: 'death with one permit',
  },
  {
    name: 'a grant that was first is not noted for the dead waiter',
    file: 'kernel/recover.ts',
    find: 'const left = leaveGuarded(agent, element, entry);',
    replace: 'const left = leaveGuarded(agent, element, 0);',
    caughtBy: 'death with one permit',
  },
  {
    name: 'a tombstone of the dead is given back while it lies in a chain',
    file: 'arena/recovery.ts',
    find: 'if (left === CANCELLED_LEFT_BEHIND || left === ADMITTED_DETACHED) return;',
    replace: '',
    caughtBy: 'a new wait beside the tombstone of a dead agent',
  },
  {
    name: 'a recovery does not exclude another',
    file: 'kernel/recover.ts',
    find: 'return cas64(record + OWNER, held, pair(id, to)) === held ? TAKEN : RACED;',
    replace: 'cas64(record + OWNER, held, pair(id, to));\n  return TAKEN;',
    caughtBy: 'two reclaimers at once',
  },
  {
    name: 'an id that was recovered before is not told from the next owner of its record',
    file: 'kernel/recover.ts',
    find: 'const held = pair(id, from);\n',
    replace: 'const held = pair(get32(record + OWNER), from);\n',
    caughtBy: 'a record is used again while a reclaimer is late',
  },
  {
    name: 'what a dead reclaimer had begun is not finished',
    file: 'arena/reclaim.ts',
    find: '    finishRecoveries(context, id, others);\n    return new Recovery',
    replace: '    return new Recovery',
    caughtBy: 'death of a reclaimer',
  },
  {
    name: 'two that looked at the same agent both recover it',
    file: 'arena/reclaim.ts',
    find: "if (kernel.takeOver(record, id, -context.id, context.id) !== TAKEN) return 'busy';",
    replace: 'words.store32(record + AGENT_RECLAIMER, context.id);',
    caughtBy: 'two reclaimers at once',
  },
  {
    name: 'permits that others gave back for the dead are given back again',
    file: 'kernel/recover.ts',
    find: 'if (debt > wide(0)) return offset(sem, entry, held, debt);',
    replace: '',
    caughtBy: 'a living agent gives back what a dead one took',
  },
  {
    name: 'recovery believes the owner word of an element, and then looks at its gate',
    file: 'arena/recovery.ts',
    find: 'if (words.load32(element + OWNER) === this.#id) this.#withdraw(element, seen);',
    replace: 'this.#withdraw(element, seen);',
    caughtBy: 'a tombstone that is given back while its owner is recovered',
  },
  {
    name: 'an agent that died while it looked at another is in the way',
    file: 'arena/reclaim.ts',
    find: "if (kernel.takeOver(record, id, reclaimer, -context.id) !== TAKEN) return 'busy';",
    replace: "if (kernel.takeOver(record, id, 0, -context.id) !== TAKEN) return 'busy';",
    caughtBy: 'two agents that look at each other die',
  },
  {
    name: 'a lock is passed on before the notice is there',
    file: 'kernel/recover.ts',
    find:
      '  if ((get32(sem + FLAGS) & FLAG_OWNED) !== 0) orphan(sem);\n  put64(entry + ENTRY_HELD, wide(0));\n  if ((get32(sem + FLAGS) & (FLAG_BOX | FLAG_DEALER)) !== 0) giveToFront(sem + BLOCK_LINE, agent, held);\n  else announce(sem, agent, add64(sem + GRANT, held), clamp(held, MOST));\n',
    replace:
      '  put64(entry + ENTRY_HELD, wide(0));\n  announce(sem, agent, add64(sem + GRANT, held), clamp(held, MOST));\n  if ((get32(sem + FLAGS) & FLAG_OWNED) !== 0) orphan(sem);\n',
    caughtBy: 'death of a lock’s owner',
  },
  {
    name: 'a record is given back while its stub lies in a chain',
    file: 'arena/recovery.ts',
    find: 'if (words.load32(stub + OWNER) !== 0) {',
    replace: 'if (stub === 0) {',
    caughtBy: 'death of one whose ticket is in its stub',
  },
  {
    name: 'a ticket in the stub of a dead agent stays in line',
    file: 'arena/recovery.ts',
    find: 'if (gate === QUEUED || gate === FREE) this.#withdraw(stub, gate);',
    replace: '',
    caughtBy: 'death with one element for three agents',
  },
  {
    name: 'a closer records one step late that it has buckets to sweep',
    file: 'kernel/heap.ts',
    find: '  if (cas32(block + BLOCK_TAG, tag, -tag) !== tag) return RACED;\n  put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);\n',
    replace: '  if (cas32(block + BLOCK_TAG, tag, -tag) !== tag) return RACED;\n',
    also: {
      file: 'semaphore.ts',
      find: 'if (kernel.close(agent, this.#sem, this.#tag) === TAKEN) this.#context.finishWalk();',
      replace:
        'if (kernel.close(agent, this.#sem, this.#tag) !== TAKEN) return;\n    this.#context.words.put32(agent + 28, this.#context.words.get32(16) + 1);\n    this.#context.finishWalk();',
    },
    caughtBy: 'death of one that closes',
  },
  {
    name: 'new permits are counted after they are given',
    file: 'kernel/admit.ts',
    find: '  const theirs = debit(entry, more) ? NOTED : giveMore(sem, entry, more, own, grant);\n  if (cas64(sem + GRANT, grant, plus(grant, more)) !== grant) {',
    replace:
      '  if (cas64(sem + GRANT, grant, plus(grant, more)) === grant) {\n    if (!debit(entry, more)) giveMore(sem, entry, more, own, grant);\n  } else {\n    const theirs = 0;\n    put64(entry, minus(own, more));',
    caughtBy: 'a new permit beside one given back for the dead',
  },
];
