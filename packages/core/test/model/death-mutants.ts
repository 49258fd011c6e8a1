// Mutants of recovery and of the records for it: each changes one line.

import type { Mutant } from './mutants.ts';

const LEFT = 'a recovery is left to an agent that goes to sleep';

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'a waiter that sees its grant does not record it in the same step',
    in: 'settle',
    find: 'credit(entry, wide(get32(element + COUNT)));',
    replace: '',
    caughtBy: 'one of two holders of one permit may die',
  },
  {
    name: 'a step that takes permits without a wait does not record them',
    in: 'acquire',
    file: 'kernel/admit.ts',
    find: 'credit(entry, want);',
    replace: '',
    caughtBy: 'one of two holders of one permit may die',
  },
  {
    name: 'a recovery removes restored permits from the ledger one step late',
    in: 'restoreUnderHazard',
    find: 'const line = asLine(get32(entry + ENTRY_LINE)); const held = get64(entry + ENTRY_HELD); if (held === wide(0)) return 0; if (load32(line + BLOCK_TAG) !== get32(entry + ENTRY_TAG)) { put64(entry + ENTRY_HELD, wide(0)); return 0; } const debt = load64(line + RELEASED_FOR_OTHERS); if (debt > wide(0)) return offset(line, entry, held, debt); if ((get32(line + FLAGS) & FLAG_OWNED) !== 0) orphan(line); put64(entry + ENTRY_HELD, wide(0)); announce(line, agent, add64(line + GRANT, held), clamp(held, MOST)); return toNumber(held);',
    replace:
      'const line = asLine(get32(entry + ENTRY_LINE)); const held = get64(entry + ENTRY_HELD); if (held === wide(0)) return 0; if (load32(line + BLOCK_TAG) !== get32(entry + ENTRY_TAG)) { put64(entry + ENTRY_HELD, wide(0)); return 0; } const debt = load64(line + RELEASED_FOR_OTHERS); if (debt > wide(0)) return offset(line, entry, held, debt); if ((get32(line + FLAGS) & FLAG_OWNED) !== 0) orphan(line); announce(line, agent, add64(line + GRANT, held), clamp(held, MOST)); return toNumber(held);',
    caughtBy: 'a reclaimer may die',
  },
  {
    name: 'a recovery drops the chain of a dead walker',
    in: 'AgentContext.finishWalk',
    find: 'waiting.walk(agent)',
    replace: 'waiting.walk(this.agent)',
    caughtBy: 'one of two holders of one permit may die',
  },
  {
    name: 'a walker does not record the waiter that it is about to wake',
    in: 'deliverVerdict',
    find: 'put32(agent + AGENT_NOTIFY, element);',
    replace: '',
    caughtBy: 'one of two holders of one permit may die',
  },
  {
    name: 'a release that admits the only waiter of a chain does not record that waiter',
    in: 'admitAlone',
    find: 'put32(agent + AGENT_NOTIFY, element);',
    replace: '',
    caughtBy: 'one of two holders of one permit may die',
  },
  {
    name: 'a recovery does not wake the waiter that a dead walker was about to wake',
    in: 'Recovery.#finishWalk',
    find: 'if (handed !== 0) this.#context.notify(handed);',
    replace: '',
    caughtBy: 'one of two holders of one permit may die',
  },
  {
    name: 'a recovery does not record a grant that came before the cancellation of a dead waiter',
    in: 'cancelWait',
    find: 'cancelWaitUnderHazard(agent, element, entry)',
    replace: 'cancelWaitUnderHazard(agent, element, dead === 0 ? entry : 0)',
    caughtBy: 'one of two holders of one permit may die',
  },
  {
    name: 'a recovery frees a tombstone of the dead agent that is in a chain',
    in: 'Recovery.#withdraw',
    find: 'if (left === CANCELLED_LEFT_BEHIND || left === ADMITTED_DETACHED) return;',
    replace: '',
    caughtBy: 'a new wait begins beside the tombstone of a dead agent',
  },
  {
    name: 'a recovery does not exclude another recovery',
    in: 'takeOver',
    find: 'return cas64(record + OWNER, held, pair(id, to)) === held ? TAKEN : RACED;',
    replace: 'cas64(record + OWNER, held, pair(id, to)); return TAKEN;',
    caughtBy: 'two reclaimers at the same time',
  },
  {
    name: 'a reclaimer mistakes the next owner of a record for the dead agent',
    in: 'takeOver',
    find: 'id, from',
    replace: 'get32(record + OWNER), from',
    caughtBy: 'a record is reused while a reclaimer is late',
  },
  {
    name: 'a recovery does not finish what a dead reclaimer had begun',
    in: 'recover',
    find: 'finishRecoveries(context, id, others);',
    replace: '',
    caughtBy: 'a reclaimer may die',
  },
  {
    name: 'two reclaimers that found the same agent dead both recover it',
    in: 'recover',
    find: `if (kernel.takeOver(record, id, -context.id, context.id) !== TAKEN) return 'busy';`,
    replace: 'words.store32(record + AGENT_RECLAIMER, context.id);',
    caughtBy: 'two reclaimers at the same time',
  },
  {
    name: 'a recovery releases permits again that other agents returned for the dead agent',
    in: 'restoreUnderHazard',
    find: 'if (debt > wide(0)) return offset(line, entry, held, debt);',
    replace: '',
    caughtBy: 'a living agent returns the permit of a dead agent',
  },
  {
    name: 'a recovery trusts the owner word of an element and then reads its gate',
    in: 'Recovery.#withdrawTickets',
    find: 'if (words.load32(element + OWNER) === this.#id) this.#withdraw(element, seen);',
    replace: 'this.#withdraw(element, seen);',
    caughtBy: 'a tombstone is freed while its owner is recovered',
  },
  {
    name: 'an agent that died while it checked another one blocks its recovery',
    in: 'recover',
    find: 'record, id, reclaimer, -context.id',
    replace: 'record, id, 0, -context.id',
    caughtBy: 'two agents that check each other die',
  },
  {
    name: 'a recovery hands on a lock before the notice is written',
    in: 'restoreUnderHazard',
    find: 'if ((get32(line + FLAGS) & FLAG_OWNED) !== 0) orphan(line); put64(entry + ENTRY_HELD, wide(0)); announce(line, agent, add64(line + GRANT, held), clamp(held, MOST));',
    replace:
      'put64(entry + ENTRY_HELD, wide(0)); announce(line, agent, add64(line + GRANT, held), clamp(held, MOST)); if ((get32(line + FLAGS) & FLAG_OWNED) !== 0) orphan(line);',
    caughtBy: 'the owner of a lock may die',
  },
  {
    name: 'a recovery frees a record while its stub is in a chain',
    in: 'Recovery.#returnRecord',
    find: 'words.load32(stub + OWNER) !==',
    replace: 'stub ===',
    caughtBy: 'an agent with its ticket in its stub may die',
  },
  {
    name: 'a recovery leaves the ticket in the stub of a dead agent in line',
    in: 'Recovery.#withdrawTickets',
    find: 'if (gate === QUEUED || gate === FREE) this.#withdraw(stub, gate);',
    replace: '',
    caughtBy: 'one of three agents may die, with one element for all',
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
    caughtBy: 'a closing agent may die',
  },
  {
    name: 'a release adds new permits to the counts after it has granted them',
    in: 'releaseBounded',
    file: 'core/src/kernel/release.ts',
    find: 'const theirs = debit(entry, more) ? NOTED : giveMore(line, entry, more, own, grant); if (cas64(line + GRANT, grant, plus(grant, more)) !== grant) { if (entry !== 0) takeBack(line, entry, more, own, theirs); return RACED; }',
    replace:
      'if (cas64(line + GRANT, grant, plus(grant, more)) === grant) { if (!debit(entry, more)) giveMore(line, entry, more, own, grant); } else { const theirs = 0; put64(entry, minus(own, more)); if (entry !== 0) takeBack(line, entry, more, own, theirs); return RACED; }',
    also: { in: 'import ./words.ts', file: 'core/src/kernel/release.ts', find: 'put32', replace: 'put32, put64' },
    caughtBy: 'a new permit is released while the permit of a dead agent is returned',
  },
  {
    name: 'a waiter goes to sleep without a check for recoveries that were left to it',
    in: 'goToSleep',
    find: 'gate === LINKED && load32(HEADER_PENDING) !== pending ? PARKED : gate',
    replace: 'gate',
    caughtBy: LEFT,
  },
  {
    name: 'a waiter checks for recoveries that were left to it before it parks instead of after it',
    in: 'goToSleep',
    find: 'const gate = park(element, agent); return gate === LINKED && load32(HEADER_PENDING) !== pending ? PARKED : gate;',
    replace:
      'const told = load32(HEADER_PENDING); const gate = park(element, agent); return gate === LINKED && told !== pending ? PARKED : gate;',
    caughtBy: LEFT,
  },
];
