// The source with one line wrong. Each must be caught by the case that it names: a model that no mutant fails proves
// nothing.

/** One change of the source. */
export interface Edit {
  /** File below src. */
  readonly file: string;
  /** Text that stands there exactly once, and what stands there instead. */
  readonly find: string;
  readonly replace: string;
}

export interface Mutant extends Edit {
  /** What is wrong. */
  readonly name: string;
  /** Another change that belongs to it. */
  readonly also?: Edit;
  /** The case that catches it. */
  readonly caughtBy: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a roll-back looks for the tombstone before it where only one of a single permit would be',
    file: 'kernel/wait.ts',
    find: '  return widest < buckets ? widest + 1 : buckets;',
    replace: '  return 1;',
    caughtBy: 'all but the first of 1, 2, 1 leave, and nothing is left of them',
  },
  {
    name: 'a roll-back looks too few keys back',
    file: 'kernel/wait.ts',
    find: '  return widest < buckets ? widest + 1 : buckets;',
    replace: '  return widest < buckets ? widest : buckets;',
    caughtBy: 'all but the first of 1, 2, 1 leave, and nothing is left of them',
  },
  {
    name: 'a waiter of several permits does not say how wide its tombstone is',
    file: 'kernel/wait.ts',
    find: '  return widest >= count || cas32(sem + WIDEST, widest, count) === widest;',
    replace: '  return widest >= 0;',
    caughtBy: 'all but the first of 1, 3, 2, 1 leave, and nothing is left of them',
  },
  {
    name: 'a waiter does not check again after linking',
    file: 'kernel/wait.ts',
    find: 'if (isShut(element) || progress(element) >= wide(head ? 0 : count)) detach(agent, bucket);',
    replace: '',
    caughtBy: 'one permit, two agents',
  },
  {
    name: 'a waiter checks again before linking instead of after it',
    file: 'kernel/wait.ts',
    find: '  store32(element + GATE, LINKED);\n  if (!push(bucket, element)) {',
    replace:
      '  if (progress(element) >= wide(count)) detach(agent, bucket);\n  store32(element + GATE, LINKED);\n  if (push(bucket, element)) return LINKED;\n  else {',
    caughtBy: 'one permit, two agents',
  },
  {
    name: 'a walker that puts an element back does not check again',
    file: 'kernel/walk.ts',
    find: 'const due = reached >= wide(head ? 0 : needs);',
    replace: 'const due = false;',
    caughtBy: 'two releases, the head of two leaves',
  },
  {
    name: 'a waiter that leaves does not check again',
    file: 'kernel/wait.ts',
    find: 'if (minus(load64(sem + GRANT), ticket) < wide(0) && !isAtEnd(element)) return CANCELLED_LEFT_BEHIND;',
    replace: 'return CANCELLED_LEFT_BEHIND;',
    caughtBy: 'the head leaves with a part of its permits',
  },
  {
    name: 'a waiter that leaves unlinked does not check again',
    file: 'kernel/wait.ts',
    find: 'if (due || isShutFor(sem, tag)) detach(agent, bucket);',
    replace: '',
    caughtBy: 'three agents, one may abort',
  },
  {
    name: 'a release looks who waits before it adds to grant',
    file: 'kernel/admit.ts',
    find: '  const grant = add64(sem + GRANT, more);\n  // After',
    replace:
      '  const quiet = minus(load64(sem + TICKET), load64(sem + GRANT)) <= wide(0);\n  const grant = add64(sem + GRANT, more);\n  if (quiet) return IDLE;\n  // After',
    caughtBy: 'a release by another agent',
  },
  {
    name: 'a verdict for a parked waiter is not notified',
    file: 'kernel/walk.ts',
    find: '  put32(agent + AGENT_NOTIFY, element);\n  return element;',
    replace: '  return AGAIN;',
    caughtBy: 'one permit, two agents',
  },
  {
    name: 'a waiter goes to sleep over its verdict',
    file: 'kernel/wait.ts',
    find: 'const gate = cas32(element + GATE, LINKED, PARKED);',
    replace: 'const gate = load32(element + GATE);\n  store32(element + GATE, PARKED);',
    caughtBy: 'one permit, two agents',
  },
  {
    name: 'a ticket is rolled back though others stand behind',
    file: 'kernel/wait.ts',
    find: 'return cas64(sem + TICKET, end, get64(element + AT)) === end;',
    replace:
      'const word = get32(element + SEM) + TICKET;\n  const now = load64(word);\n  return cas64(word, now, plus(now, minus(get64(element + AT), end))) === now;',
    caughtBy: 'the head of two leaves',
  },
  {
    name: 'a due tombstone keeps its permits',
    file: 'kernel/walk.ts',
    find: 'put64(element + AT, add64(sem + GRANT, count));',
    replace: 'put64(element + AT, load64(sem + GRANT));',
    caughtBy: 'the head of two leaves',
  },
  {
    // The first version did this. The tombstone may be another agent's by then.
    name: 'a waiter that left claims its tombstone itself',
    file: 'kernel/wait.ts',
    find: 'if (minus(load64(sem + GRANT), ticket) < wide(0) && !isAtEnd(element)) return CANCELLED_LEFT_BEHIND;\n',
    replace:
      'if (minus(load64(sem + GRANT), ticket) < wide(0) && !isAtEnd(element)) return CANCELLED_LEFT_BEHIND;\n  if (cas32(element + GATE, ABANDONED, 6) === ABANDONED) {\n    const grant = load64(sem + GRANT);\n    cas64(sem + GRANT, grant, plus(grant, wide(1)));\n  }\n',
    caughtBy: 'an element is used again while its leaver is late',
  },
  {
    name: 'a chain is detached in two operations',
    file: 'kernel/chain.ts',
    find: 'const chain = exchange32(bucket, 0);',
    replace: 'const chain = load32(bucket);\n  store32(bucket, 0);',
    caughtBy: 'three agents',
  },
  {
    name: 'an element is pushed without a CAS',
    file: 'kernel/chain.ts',
    find: 'return cas32(bucket, head, element) === head;',
    replace: 'store32(bucket, element);\n  return head === head;',
    caughtBy: 'three agents',
  },
  {
    name: 'a waiter for several permits never waits where it becomes head',
    file: 'kernel/wait.ts',
    find: 'return get32(element + COUNT) > 1 && progress(element) < wide(0);',
    replace: 'return false;',
    caughtBy: 'the second leaves before it is head',
  },
  {
    name: 'a try takes permits that somebody in line waits for',
    file: 'kernel/admit.ts',
    find: 'if (cas64(sem + TICKET, ticket, plus(ticket, want)) !== ticket) return RACED;',
    replace: 'add64(sem + TICKET, want);',
    caughtBy: 'a look without waiting',
  },
  {
    name: 'a release of several permits visits one bucket',
    file: 'kernel/admit.ts',
    find: 'clamp(minus(ticket, from), count < buckets ? count : buckets)',
    replace: 'clamp(minus(ticket, from), 1)',
    caughtBy: 'two buckets, a release of two permits',
  },
  {
    name: 'a close sweeps before it changes the tag',
    file: 'semaphore.ts',
    find: 'if (kernel.close(agent, this.#sem, this.#tag) === TAKEN) this.#context.finishWalk();',
    replace:
      'this.#context.words.put32(agent + 28, 1);\n    this.#context.finishWalk();\n    kernel.close(agent, this.#sem, this.#tag);\n    this.#context.words.put32(agent + 28, 0);',
    caughtBy: 'a close against a waiter',
  },
  {
    name: 'a waiter that leaves as the last in line does not check again',
    file: 'kernel/wait.ts',
    find: ' && !isAtEnd(element)) return CANCELLED_LEFT_BEHIND;',
    replace: ') return CANCELLED_LEFT_BEHIND;',
    caughtBy: 'the last of three leaves, and nothing is left of it',
  },
  {
    name: 'an element put back is forgotten when its owner left meanwhile as the last in line',
    file: 'kernel/walk.ts',
    find: ' || isAtEnd(element);',
    replace: ';',
    caughtBy: 'the last of three leaves, and nothing is left of it',
  },
  {
    name: 'an element put back is forgotten when its owner left meanwhile',
    file: 'kernel/walk.ts',
    find: 'gate === SPENT || (gate === ABANDONED && goes)',
    replace: 'gate === SPENT',
    caughtBy: 'the head leaves with a part of its permits',
  },
];
