// Mutants of recovery and of the records for it: the source with one line wrong.

import type { Mutant } from './mutants.ts';

const LEFT = 'a recovery is left to an agent that goes to sleep';

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'a grant that was looked at is not recorded in the same step',
    in: 'settle',
    find: 'credit(entry, wide(get32(element + COUNT)));',
    replace: '',
    caughtBy: 'death with one permit',
  },
  {
    name: 'permits taken without a wait are not recorded in the same step',
    in: 'acquire',
    file: 'kernel/admit.ts',
    find: 'credit(entry, want);',
    replace: '',
    caughtBy: 'death with one permit',
  },
  {
    name: 'what is restored is taken out of the ledger one step late',
    in: 'restoreGuarded',
    find: 'const sem = asLine(get32(entry + ENTRY_SEM)); const held = get64(entry + ENTRY_HELD); if (held === wide(0)) return 0; if (load32(sem + BLOCK_TAG) !== get32(entry + ENTRY_TAG)) { put64(entry + ENTRY_HELD, wide(0)); return 0; } const debt = load64(sem + RELEASED_FOR_OTHERS); if (debt > wide(0)) return offset(sem, entry, held, debt); if ((get32(sem + FLAGS) & FLAG_OWNED) !== 0) orphan(sem); put64(entry + ENTRY_HELD, wide(0)); announce(sem, agent, add64(sem + GRANT, held), clamp(held, MOST)); return toNumber(held);',
    replace:
      'const sem = asLine(get32(entry + ENTRY_SEM)); const held = get64(entry + ENTRY_HELD); if (held === wide(0)) return 0; if (load32(sem + BLOCK_TAG) !== get32(entry + ENTRY_TAG)) { put64(entry + ENTRY_HELD, wide(0)); return 0; } const debt = load64(sem + RELEASED_FOR_OTHERS); if (debt > wide(0)) return offset(sem, entry, held, debt); if ((get32(sem + FLAGS) & FLAG_OWNED) !== 0) orphan(sem); announce(sem, agent, add64(sem + GRANT, held), clamp(held, MOST)); return toNumber(held);',
    caughtBy: 'death of a reclaimer',
  },
  {
    name: 'the chain of a dead walker is dropped',
    in: 'AgentContext.finishWalk',
    find: 'waiting.walk(agent)',
    replace: 'waiting.walk(this.agent)',
    caughtBy: 'death with one permit',
  },
  {
    name: 'a walker does not record whom it is about to wake',
    in: 'hand',
    find: 'put32(agent + AGENT_NOTIFY, element);',
    replace: '',
    caughtBy: 'death with one permit',
  },
  {
    name: 'a release that admits the only waiter of a chain does not record whom it is about to wake',
    in: 'admitAlone',
    find: 'put32(agent + AGENT_NOTIFY, element);',
    replace: '',
    caughtBy: 'death with one permit',
  },
  {
    name: 'whom a dead walker was about to wake is not woken',
    in: 'Recovery.#finishWalk',
    find: 'if (handed !== 0) this.#context.notify(handed);',
    replace: '',
    caughtBy: 'death with one permit',
  },
  {
    name: 'a grant that was first is not noted for the dead waiter',
    in: 'leave',
    find: 'leaveGuarded(agent, element, entry)',
    replace: 'leaveGuarded(agent, element, dead === 0 ? entry : 0)',
    caughtBy: 'death with one permit',
  },
  {
    name: 'a tombstone of the dead is given back while it lies in a chain',
    in: 'Recovery.#withdraw',
    find: 'if (left === CANCELLED_LEFT_BEHIND || left === ADMITTED_DETACHED) return;',
    replace: '',
    caughtBy: 'a new wait beside the tombstone of a dead agent',
  },
  {
    name: 'a recovery does not exclude another',
    in: 'takeOver',
    find: 'return cas64(record + OWNER, held, pair(id, to)) === held ? TAKEN : RACED;',
    replace: 'cas64(record + OWNER, held, pair(id, to)); return TAKEN;',
    caughtBy: 'two reclaimers at once',
  },
  {
    name: 'an id that was recovered before is not told from the next owner of its record',
    in: 'takeOver',
    find: 'id, from',
    replace: 'get32(record + OWNER), from',
    caughtBy: 'a record is used again while a reclaimer is late',
  },
  {
    name: 'what a dead reclaimer had begun is not finished',
    in: 'recover',
    find: 'finishRecoveries(context, id, others);',
    replace: '',
    caughtBy: 'death of a reclaimer',
  },
  {
    name: 'two that looked at the same agent both recover it',
    in: 'recover',
    find: `if (kernel.takeOver(record, id, -context.id, context.id) !== TAKEN) return 'busy';`,
    replace: 'words.store32(record + AGENT_RECLAIMER, context.id);',
    caughtBy: 'two reclaimers at once',
  },
  {
    name: 'permits that others gave back for the dead are given back again',
    in: 'restoreGuarded',
    find: 'if (debt > wide(0)) return offset(sem, entry, held, debt);',
    replace: '',
    caughtBy: 'a living agent gives back what a dead one took',
  },
  {
    name: 'recovery believes the owner word of an element, and then looks at its gate',
    in: 'Recovery.#withdrawTickets',
    find: 'if (words.load32(element + OWNER) === this.#id) this.#withdraw(element, seen);',
    replace: 'this.#withdraw(element, seen);',
    caughtBy: 'a tombstone that is given back while its owner is recovered',
  },
  {
    name: 'an agent that died while it looked at another is in the way',
    in: 'recover',
    find: 'record, id, reclaimer, -context.id',
    replace: 'record, id, 0, -context.id',
    caughtBy: 'two agents that look at each other die',
  },
  {
    name: 'a lock is passed on before the notice is there',
    in: 'restoreGuarded',
    find: 'if ((get32(sem + FLAGS) & FLAG_OWNED) !== 0) orphan(sem); put64(entry + ENTRY_HELD, wide(0)); announce(sem, agent, add64(sem + GRANT, held), clamp(held, MOST));',
    replace:
      'put64(entry + ENTRY_HELD, wide(0)); announce(sem, agent, add64(sem + GRANT, held), clamp(held, MOST)); if ((get32(sem + FLAGS) & FLAG_OWNED) !== 0) orphan(sem);',
    caughtBy: 'death of a lock’s owner',
  },
  {
    name: 'a record is given back while its stub lies in a chain',
    in: 'Recovery.#leave',
    find: 'words.load32(stub + OWNER) !==',
    replace: 'stub ===',
    caughtBy: 'death of one whose ticket is in its stub',
  },
  {
    name: 'a ticket in the stub of a dead agent stays in line',
    in: 'Recovery.#withdrawTickets',
    find: 'if (gate === QUEUED || gate === FREE) this.#withdraw(stub, gate);',
    replace: '',
    caughtBy: 'death with one element for three agents',
  },
  {
    name: 'a closer records one step late that it has buckets to sweep',
    in: 'close',
    find: 'put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);',
    replace: '',
    also: {
      in: 'Semaphore.close',
      find: 'if (kernel.close(agent, address, tag) === TAKEN) this.#context.finishWalk();',
      replace:
        'if (kernel.close(agent, address, tag) !== TAKEN) return; this.#context.words.put32(agent + 28, this.#context.words.get32(16) + 1); this.#context.finishWalk();',
    },
    caughtBy: 'death of one that closes',
  },
  {
    name: 'new permits are counted after they are given',
    in: 'releaseBounded',
    file: 'core/src/kernel/release.ts',
    find: 'const theirs = debit(entry, more) ? NOTED : giveMore(sem, entry, more, own, grant); if (cas64(sem + GRANT, grant, plus(grant, more)) !== grant) { if (entry !== 0) takeBack(sem, entry, more, own, theirs); return RACED; }',
    replace:
      'if (cas64(sem + GRANT, grant, plus(grant, more)) === grant) { if (!debit(entry, more)) giveMore(sem, entry, more, own, grant); } else { const theirs = 0; put64(entry, minus(own, more)); if (entry !== 0) takeBack(sem, entry, more, own, theirs); return RACED; }',
    also: { in: 'import ./words.ts', file: 'core/src/kernel/release.ts', find: 'put32', replace: 'put32, put64' },
    caughtBy: 'a new permit beside one given back for the dead',
  },
  {
    name: 'a waiter goes to sleep without a look at recoveries that were left to it',
    in: 'goToSleep',
    find: 'gate === LINKED && load32(HEADER_PENDING) !== pending ? PARKED : gate',
    replace: 'gate',
    caughtBy: LEFT,
  },
  {
    name: 'a waiter looks at recoveries that were left to it before it is parked',
    in: 'goToSleep',
    find: 'const gate = park(element, agent); return gate === LINKED && load32(HEADER_PENDING) !== pending ? PARKED : gate;',
    replace:
      'const told = load32(HEADER_PENDING); const gate = park(element, agent); return gate === LINKED && told !== pending ? PARKED : gate;',
    caughtBy: LEFT,
  },
];
