// The lines of a side. In the first, agents wait to become its head. In the second, the head waits until there are
// enough units.
//
// The first line is a semaphore with one permit. The holder of the permit is the head of the line. Only the head may
// take units of its side. It stays the head until it has taken them or gives up.

import type { WaitingPolicy } from '@sluice/core';
import { BLOCK_TAG, GRANT, SHUT, TAKEN, TICKET, WANTS, type Draw } from '@sluice/core/format';
import { isElement, orCorrupt, retryOrThrow, type BlockRef, type PrimitiveErrors } from '@sluice/core/internal';
import type { LineReport } from '@sluice/core/report';
import { NEEDED } from '../kernel/layout.ts';
import { BUFFER } from './kinds.ts';
import { HEAD_LINE, LOCK, lineAt, MORE, refOfLine } from './lines.ts';
import { SideLine } from './side-line.ts';

export class SideLines {
  /** The line in which agents wait to become its head. */
  readonly headLine: SideLine;
  /** The line in which the head waits for more units. */
  readonly more: SideLine;
  /** The number of units for which the next ticket is drawn. */
  wanted = 1;
  readonly #headRef: BlockRef;
  readonly #more: BlockRef;

  constructor(ref: BlockRef, which: number, policy: WaitingPolicy, errors: PrimitiveErrors) {
    const { kernel, steps: line } = ref.context.load(BUFFER);
    this.#headRef = refOfLine(ref, HEAD_LINE, which);
    this.#more = refOfLine(ref, MORE, which);
    const { agent } = ref.context;
    const side = lineAt(ref, LOCK, which);
    // The wait enters the chain and runs the walk at once.
    const enqueue = (): Draw =>
      kernel.enqueueAtSide(side, this.#headRef.tag, agent, this.headLine.lineState.entry, this.wanted);
    this.headLine = new SideLine(this.#headRef, true, line, policy, enqueue, errors);
    this.more = new SideLine(this.#more, false, line, policy, () => this.#enqueueForMore(), errors);
  }

  get isClosed(): boolean {
    return this.#headRef.context.words.load32(this.#headRef.address + BLOCK_TAG) < 0;
  }

  get isWaitedIn(): boolean {
    const { context, address } = this.#headRef;
    return ((context.words.load32(address + TICKET) - context.words.load32(address + GRANT)) | 0) > 0;
  }

  /** Asks to be woken when `count` units are available. For the head of the line, while it owns the lock. */
  need(count: number): void {
    this.#headRef.context.words.store32(this.#headRef.address + NEEDED, count);
  }

  /**
   * Admits the next head after a wait in line that ended with `outcome`, if this agent did not get the
   * lock, or enough units, in time.
   */
  giveBack(outcome: number): void {
    if (outcome !== TAKEN) return;
    const { context, address, tag } = this.#headRef;
    const { words, kernel, agent } = context;
    const { entry } = this.headLine.lineState;
    if (words.load32(address + NEEDED) !== 0) words.store32(address + NEEDED, 0);
    const given = orCorrupt(() => kernel.release(address, tag, agent, entry, 1));
    // The line is closed. No agent needs the permit, and the ledger no longer lists it.
    if (given !== SHUT) context.wakeAdmitted(given);
    else words.put64(entry, words.get64(entry) - 1n);
  }

  /** Returns the waiting agents. The head comes first. */
  inspect(): LineReport {
    const [first, others] = [this.more.inspect(), this.headLine.inspect()];
    return { waiters: [...first.waiters, ...others.waiters], abandoned: first.abandoned + others.abandoned };
  }

  /**
   * Counts the rounds of a wait since the agent last slept. `parks` is the count of sleeps before the round. Throws
   * after too many rounds, because damaged counters could make a wait loop for ever.
   */
  nextRound(rounds: number, parks: number): number {
    if (this.#headRef.context.parks !== parks) return 0;
    retryOrThrow(rounds + 1);
    return rounds + 1;
  }

  #enqueueForMore(): Draw {
    const { context, address, tag } = this.#more;
    const drawn = context.kernel.acquire(address, tag, 0, 1, context.agent);
    if (isElement(drawn)) context.words.put32(drawn + WANTS, this.wanted);
    return drawn;
  }
}
