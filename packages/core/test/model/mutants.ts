// Mutants of the semaphore: each changes one line. The case that a mutant names must fail with it. A model that fails
// for no mutant proves nothing.

/** One change of the source: anchor.ts finds its place. */
export interface Edit {
  /**
   * The declaration that changes, in any package and file: `name`, `Class.member`, or `import ./words.ts`.
   */
  readonly in: string;
  /** The end of the file's path, if several files declare that name: `kernel/heap.ts`. */
  readonly file?: string;
  /**
   * A syntax node of the declaration, or several neighbours. It must occur exactly once. `replace` is its replacement.
   */
  readonly find: string;
  readonly replace: string;
}

export interface Mutant extends Edit {
  /** What the wrong code does. */
  readonly name: string;
  /** Another change of the same mutant. */
  readonly also?: Edit;
  /** The name of the case that fails with it. */
  readonly caughtBy: string;
}

export const LINE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a roll-back checks for the previous tombstone only where a tombstone of one permit would be',
    in: 'keysBefore',
    find: 'widest < buckets ? widest + 1 : buckets',
    replace: '1',
    caughtBy: 'all waiters except the first of 1, 2, 1 leave without a trace',
  },
  {
    name: 'a roll-back checks too few keys before its own',
    in: 'keysBefore',
    find: 'widest + 1',
    replace: 'widest',
    caughtBy: 'all waiters except the first of 1, 2, 1 leave without a trace',
  },
  {
    name: 'a roll-back does not check the key of the next release',
    in: 'keysBefore',
    find: 'minus(end, load64(line + GRANT))',
    replace: 'minus(end, plus(load64(line + GRANT), wide(1)))',
    caughtBy: 'all waiters except the first of 1, 2, 1 leave without a trace',
  },
  {
    name: 'a waiter for several permits does not record the width of its tombstone',
    in: 'noteWidth',
    find: 'widest >= count || cas32(line + WIDEST, widest, count) === widest',
    replace: 'widest >= 0',
    caughtBy: 'all waiters except the first of 1, 3, 2, 1 leave without a trace',
  },
  {
    name: 'a walker that puts an element back does not check again',
    in: 'putBack',
    find: 'reached >= wide(head ? 0 : needs)',
    replace: 'false',
    caughtBy: 'two releases, and the head of two waiters leaves',
  },
  {
    name: 'a leaving waiter does not check again',
    in: 'leaveLinked',
    find: 'if (minus(load64(line + GRANT), ticket) < wide(0) && !isAtEnd(element)) return CANCELLED_LEFT_BEHIND;',
    replace: 'return CANCELLED_LEFT_BEHIND;',
    caughtBy: 'the head leaves with a part of its permits granted',
  },
  {
    name: 'a release admits the only waiter of a chain before it is due',
    in: 'admitAlone',
    find: 'progress(element) < wide(get32(element + COUNT))',
    replace: 'progress(element) < wide(0)',
    caughtBy: 'a release of one of two permits to the only waiter, which may time out',
  },
  {
    name: 'a waiter rolls its ticket back although others are behind it',
    in: 'rollBack',
    find: 'return cas64(line + TICKET, end, get64(element + DRAWN)) === end;',
    replace:
      'const word = asLine(get32(element + LINE)) + TICKET; const now = load64(word); return cas64(word, now, plus(now, wide(-get32(element + COUNT)))) === now;',
    caughtBy: 'the head of two waiters leaves',
  },
  {
    name: 'a due tombstone keeps its permits',
    in: 'visitTombstone',
    find: 'add64(line + GRANT, count',
    replace: 'load64(line + GRANT',
    caughtBy: 'the head of two waiters leaves',
  },
  {
    // The first version of leave() did this. By then the tombstone may belong to another agent.
    name: 'a leaving waiter claims its tombstone itself',
    in: 'leaveLinked',
    find: 'detachOf(agent, line, last);',
    replace:
      'if (cas32(element + GATE, ABANDONED, 6) === ABANDONED) add64(line + GRANT, wide(1)); detachOf(agent, line, last);',
    also: { in: 'import ./words.ts', file: 'kernel/cancel-wait.ts', find: 'cas32', replace: 'add64, cas32' },
    caughtBy: 'an element is reused while its former waiter is late',
  },
  {
    name: 'a waiter for several permits never waits at the bucket for heads',
    in: 'waitsForHead',
    find: 'get32(element + COUNT) > 1 && progress(element) < wide(0)',
    replace: 'false',
    caughtBy: 'the second waiter leaves before it becomes the head',
  },
  {
    name: 'a release of several permits visits only one bucket',
    in: 'beginPost',
    find: 'count < buckets ? count : buckets',
    replace: '1',
    caughtBy: 'a release of two permits with two buckets',
  },
  {
    name: 'a release of several permits skips the last of eight buckets',
    in: 'areEmpty',
    find: ' | headAt(line, from, 7)',
    replace: '',
    caughtBy: 'a release of eight permits with eight buckets',
  },
  {
    name: 'a release of several permits skips buckets that it has not checked',
    in: 'nextBucket',
    find: 'passBy(agent, keys, from, PASSED)',
    replace: 'passBy(agent, keys, from, keys)',
    caughtBy: 'a release of nine permits with 16 buckets',
  },
  {
    name: 'the last waiter in line leaves without another check',
    in: 'leaveLinked',
    find: 'minus(load64(line + GRANT), ticket) < wide(0) && !isAtEnd(element)',
    replace: 'minus(load64(line + GRANT), ticket) < wide(0)',
    caughtBy: 'the last of three waiters leaves without a trace',
  },
  {
    name: 'a walker forgets an element that it put back if its owner left as the last in line',
    in: 'PlainChain.isDue',
    find: 'isAtEnd(element)',
    replace: 'false',
    caughtBy: 'the last of three waiters leaves without a trace',
  },
  {
    name: 'a walker forgets an element that it put back if its owner left',
    in: 'putBack',
    find: 'due || (isTombstone && kind.isDue(element, reached))',
    replace: 'due',
    caughtBy: 'the head leaves with a part of its permits granted',
  },
];

export const CLOSE_MUTANTS: readonly Mutant[] = [
  {
    name: 'close() sweeps before it changes the tag',
    in: 'Semaphore.close',
    find: 'if (kernel.close(agent, address, tag) === TAKEN) this.#context.finishWalk();',
    replace:
      'this.#context.words.put32(agent + 28, 1); this.#context.finishWalk(); kernel.close(agent, address, tag); this.#context.words.put32(agent + 28, 0);',
    caughtBy: 'close() during a wait',
  },
];

export const SEMAPHORE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a waiter does not check again after it has linked',
    in: 'link',
    find: 'if (isShut(element) || progress(element) >= wide(head ? 0 : count)) detachOf(agent, asLine(get32(element + LINE)), bucket);',
    replace: '',
    caughtBy: 'one permit, two agents',
  },
  {
    name: 'a waiter checks again before it links instead of after it',
    in: 'link',
    find: 'store32(element + GATE, LINKED); if (!push(bucket, element)) { store32(element + GATE, QUEUED); return RACED; }',
    replace:
      'if (progress(element) >= wide(count)) detachOf(agent, asLine(get32(element + LINE)), bucket); store32(element + GATE, LINKED); if (push(bucket, element)) return LINKED; else { store32(element + GATE, QUEUED); return RACED; }',
    caughtBy: 'one permit, two agents',
  },
  {
    name: 'a waiter that leaves before it has linked does not check again',
    in: 'leaveQueued',
    find: 'if (due || isShutFor(line, tag)) detachOf(agent, line, bucket);',
    replace: '',
    caughtBy: 'three agents, one may abort',
  },
  {
    name: 'a release checks for waiters before it adds to GRANT',
    in: 'release',
    find: 'const grant = add64(line + GRANT, more);',
    replace:
      'const quiet = minus(load64(line + TICKET), load64(line + GRANT)) <= wide(0); const grant = add64(line + GRANT, more); if (quiet) return IDLE;',
    caughtBy: 'another agent releases',
  },
  {
    name: 'a walker does not notify a parked waiter of its verdict',
    in: 'deliverVerdict',
    find: 'put32(agent + AGENT_NOTIFY, element); return element;',
    replace: 'return AGAIN;',
    caughtBy: 'one permit, two agents',
  },
  {
    name: 'a waiter goes to sleep although it has its verdict',
    in: 'park',
    file: 'kernel/wait.ts',
    find: 'return asGate(cas32(element + GATE, LINKED, PARKED));',
    replace: 'const gate = load32(element + GATE); store32(element + GATE, PARKED); return gate;',
    caughtBy: 'one permit, two agents',
  },
  {
    name: 'a waiter goes to sleep with a detached chain that it has not walked',
    in: 'park',
    file: 'kernel/wait.ts',
    find: 'if (get32(agent + AGENT_CHAIN) !== 0 || get32(agent + AGENT_DUTY_KIND) !== 0) return NEEDS_WALK;',
    replace: '',
    caughtBy: 'one permit, two agents',
  },
  {
    name: 'a blocking waiter does not walk the chain that its check detached',
    in: 'blockInLine',
    find: 'else if (gate === NEEDS_WALK) context.finishWalk();',
    replace: '',
    caughtBy: 'one permit, two agents with elements',
  },
  {
    name: 'a release that admits the only waiter it needs drops the rest of the chain',
    in: 'admitAlone',
    find: 'if (get32(element + NEXT) !== 0 || get32(element + UP) !== 0) return NEEDS_WALK;',
    replace: '',
    caughtBy: 'three agents',
  },
  {
    name: 'a walker detaches a chain in two operations',
    in: 'detach',
    find: 'const chain = exchange32(bucket, 0);',
    replace: 'const chain = load32(bucket); store32(bucket, 0);',
    caughtBy: 'three agents',
  },
  {
    name: 'a waiter pushes its element without a CAS',
    in: 'push',
    find: 'return cas32(bucket, head, element) === head;',
    replace: 'store32(bucket, element); return head === head;',
    caughtBy: 'three agents',
  },
  {
    name: 'tryAcquire() takes permits that are due to a waiter in line',
    in: 'tryAcquire',
    find: 'if (cas64(line + TICKET, ticket, plus(ticket, want)) !== ticket) return RACED;',
    replace: 'add64(line + TICKET, want);',
    caughtBy: 'an agent tries without waiting',
  },
];
