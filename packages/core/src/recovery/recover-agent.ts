// Recovers one agent that was found dead. The agent that has its record finishes or undoes the dead agent's operations
// in flight. claim-dead-agent.ts states the invariants; docs/decisions/015 says what each kernel step leaves.

import {
  AGENT_HAZARD,
  AGENT_LEFT,
  AGENT_NAME,
  AGENT_NOTIFY,
  AGENT_PENDING,
  AGENT_RECLAIMER,
  AGENT_SCRATCH,
  AGENT_STATE,
  AGENT_STRIDE,
  AGENT_STUB,
  COUNT,
  ENTRY_HELD,
  ENTRY_SINCE,
  ENTRY_TAG,
  FLAG_COUNTS_WAITS,
  FLAG_OWNED,
  FLAG_SHARED,
  FLAGS,
  GATE,
  HEADER_ELEMENT_POOL,
  HEADER_LEDGER_POOL,
  OWNER,
  LINE,
  TAG,
} from '../kernel/layout.ts';
import {
  ABANDONED,
  ADMITTED_DETACHED,
  LEFT_CHAIN,
  FREE,
  CANCELLED_LEFT_BEHIND,
  LISTED,
  CANCELLED,
  NEVER_KNEW,
  MOVED,
  QUEUED,
  SPENT,
  WAITING,
  type Verdict,
} from '../kernel/states.ts';
import { isOwnedLock } from '../memory/lock-health.ts';
import { abandonWatch, isOnCondition, wakeConditionWaiters } from './condition-waiters.ts';
import { wakeSleepersForDead } from '../agent/sleep-word.ts';
import { blockOf, isLine } from '../memory/blocks.ts';
import { compact } from '../agent/compaction.ts';
import { lockAt, noLosses, noteGrant, noteLock, notePermits, type Losses } from './losses.ts';
import { entries, records, type EntryRecord } from '../memory/records.ts';
import { passOnLocks } from './pass-on-locks.ts';
import { freeBlocksInHand } from './recover-blocks.ts';
import type { ReclaimReport } from './reclaim-report.ts';
import type { KindSteps } from '../agent/kind.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import { blockOfDuty, chainsInFlight, isDutyForeign, isForeignFor, kindAt, lineAt } from './pending.ts';
import { retryWhileRaced } from '../memory/retry.ts';
import {
  asElement,
  asLine,
  asNotify,
  type AgentAddress,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
} from '../kernel/addresses.ts';

/** The words of a record that are cleared when its agent has been recovered: all but its owner and its scratch. */
const CLEARED = [
  [AGENT_RECLAIMER + 4, AGENT_SCRATCH],
  [AGENT_NAME, AGENT_STRIDE],
] as const;

export class Recovery {
  readonly #context: AgentContext;
  readonly #record: AgentAddress;
  readonly #id: number;
  readonly #losses: Losses;
  /** Blocks of kinds that this agent has not loaded, and that the dead agent used. */
  readonly #foreign = new Set<number>();
  /** The dead agent's entries, by their tags. It may have thousands of entries, and as many waits. */
  #byTag: Map<number, readonly EntryRecord[]> | undefined;

  constructor(context: AgentContext, record: AgentAddress, id: number, finished: ReclaimReport[]) {
    this.#context = context;
    this.#record = record;
    this.#id = id;
    this.#losses = noLosses(id, finished);
  }

  run(): ReclaimReport {
    this.#finishWake();
    this.#withdrawTickets();
    wakeConditionWaiters(this.#context, this.#record);
    this.#restorePermits();
    passOnLocks({
      context: this.#context,
      record: this.#record,
      id: this.#id,
      losses: this.#losses,
      guards: (line) => this.#guards(line),
      isForeign: (line, tag) => this.#isForeign(line, tag),
      kindOf: (line) => this.#kindOf(line),
      finishWalk: () => this.#finishWalk(),
    });
    this.#losses.blocksFreed = freeBlocksInHand(this.#context, this.#record, this.#id);
    // Freeing a block detaches the elements that hang at its lines.
    this.#noteDuty();
    for (const block of this.#foreign) this.#losses.pending.push(lockAt(this.#context.words, block));
    if (this.#foreign.size === 0) this.#returnRecord();
    else this.#postpone();
    if (this.#context.leftBehind >= this.#context.gatherAt) compact(this.#context);
    return this.#losses;
  }

  /** Wakes the agents that the dead agent was about to wake, and walks the chains that it had detached. */
  #finishWake(): void {
    const { words } = this.#context;
    const record = this.#record;
    this.#losses.chainsFinished = chainsInFlight(words, record);
    this.#finishWalk();
    this.#noteDuty();
  }

  /** Records a part of a walk that only an agent with another kind can finish. */
  #noteDuty(): void {
    if (isDutyForeign(this.#context, this.#record)) this.#foreign.add(blockOfDuty(this.#context.words, this.#record));
  }

  /** Finishes the second half of a step on the record: wakes an agent, and walks chains. */
  #finishWalk(): void {
    const handed = asNotify(this.#context.words.get32(this.#record + AGENT_NOTIFY));
    if (handed !== 0) this.#context.notify(handed);
    this.#context.finishWalk(this.#record);
    // The dead agent may still owe a wake-up of a kind that this agent has not loaded.
    wakeSleepersForDead(this.#context, this.#record);
  }

  #withdrawTickets(): void {
    const { words } = this.#context;
    const stub = asElement(this.#record + AGENT_STUB);
    const gate = words.load32(stub + GATE);
    // From here on the stub may become a tombstone. It is one as long as its owner word is not 0.
    if (gate === QUEUED) words.put32(stub + OWNER, this.#id);
    if (gate === QUEUED || gate === FREE) this.#withdraw(stub, gate);
    for (const { record: element, owner } of records(words, HEADER_ELEMENT_POOL)) {
      if (owner !== this.#id) continue;
      const seen = words.load32(element + GATE);
      // Read the owner again, after the gate: a tombstone may have been returned to the pool, and the gate may be that
      // of its next owner. A dead agent never regains an element that it no longer owns.
      if (words.load32(element + OWNER) === this.#id) this.#withdraw(element, seen);
    }
  }

  #withdraw(element: ElementAddress, gate: number): void {
    const { words } = this.#context;
    // The wait was cancelled before. Its element is in a chain or in flight in a walk, and the next walker returns it
    // to the pool.
    if (gate === ABANDONED || gate === SPENT || gate === LEFT_CHAIN) return;
    if (isOnCondition(gate)) {
      if (!abandonWatch(this.#context, this.#record, element, gate)) return;
    } else if (gate === LISTED) {
      words.store32(element + GATE, FREE);
    } else if (gate !== FREE) {
      const line = asLine(words.get32(element + LINE));
      if (this.#isForeign(line, words.get32(element + TAG))) return;
      const entry = this.#entryFor(element);
      // Read this now: afterwards another agent may use the element.
      const permits = words.get32(element + COUNT);
      const left = this.#cancel(line, element, entry);
      this.#finishWalk();
      if (left === MOVED) {
        this.#withdraw(element, words.load32(element + GATE));
        return;
      }
      // A grant in an entry is reported with everything that the entry holds. A lock is reported when it is passed on.
      if (entry === 0) noteGrant(words, this.#losses, line, permits, left, this.#kindOf(line)?.notesGrants === true);
      if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND) this.#losses.ticketsWithdrawn += 1;
      if (left === CANCELLED_LEFT_BEHIND) this.#context.leftBehind += 1;
      if (left === CANCELLED_LEFT_BEHIND || left === ADMITTED_DETACHED) return;
    }
    words.store32(element + OWNER, 0);
  }

  /** Cancels a wait. Returns MOVED if another agent has meanwhile moved the waiter to another line. */
  #cancel(line: LineAddress, element: ElementAddress, entry: EntryAddress): Verdict | typeof MOVED {
    const { kernel, words } = this.#context;
    const kind = this.#kindOf(line);
    return retryWhileRaced(() => {
      if (asLine(words.get32(element + LINE)) !== line) return MOVED;
      const left =
        kind === undefined
          ? kernel.cancelWait(this.#record, element, entry, 1)
          : kind.cancel(this.#record, element, entry, 1);
      return left === WAITING ? kernel.leaveLine(this.#record, element) : left;
    });
  }

  /** Returns the steps of the line's kind, or `undefined` if the core has them. */
  #kindOf(line: number): KindSteps | undefined {
    return this.#context.kindWith(kindAt(this.#context.words, line))?.steps;
  }

  /** Whether only an agent with another kind can continue here. Then this recovery leaves the line unchanged. */
  #isForeign(line: number, tag: number): boolean {
    const { words } = this.#context;
    if (lineAt(words, line, tag) === 0 || !isForeignFor(this.#context, this.#record, line)) return false;
    this.#foreign.add(blockOf(words, line));
    return true;
  }

  /** Returns the entry that records a grant that came first, or 0 if there is none. */
  #entryFor(element: ElementAddress): EntryAddress {
    const { words } = this.#context;
    const line = words.get32(element + LINE);
    const tag = words.get32(element + TAG);
    const flags = words.get32(line + FLAGS);
    const kind = this.#kindOf(line);
    if (kind === undefined ? (flags & FLAG_OWNED) !== 0 : kind.notesGrants !== true) return 0;
    return this.#entriesWith(tag).find(({ address }) => address === line)?.entry ?? 0;
  }

  #restorePermits(): void {
    const { words } = this.#context;
    for (const each of this.#entries()) {
      if (each.tag !== 0 && (each.held === 0n || !this.#isForeign(each.address, each.tag))) this.#restore(each);
    }
    // An entry without permits may still get those that were granted to a wait of a kind that this agent has not
    // loaded.
    if (this.#foreign.size > 0) return;
    for (const { entry } of this.#entries()) words.put32(entry + ENTRY_TAG, 0);
    for (const { record, owner } of records(words, HEADER_LEDGER_POOL))
      if (owner === this.#id) words.store32(record + OWNER, 0);
  }

  #entriesWith(tag: number): readonly EntryRecord[] {
    if (this.#byTag === undefined) {
      this.#byTag = new Map();
      for (const entry of this.#entries()) this.#byTag.set(entry.tag, [...(this.#byTag.get(entry.tag) ?? []), entry]);
    }
    return this.#byTag.get(tag) ?? [];
  }

  *#entries(): Generator<EntryRecord> {
    for (const entry of entries(this.#context.words)) if (entry.owner === this.#id) yield entry;
  }

  #restore({ entry, address, held }: EntryRecord): void {
    const { words, kernel } = this.#context;
    const flags = words.get32(address + FLAGS);
    // A wait that ended without its agent counts as unseen, too.
    const unseen = Number(words.get64(entry + ENTRY_SINCE)) === NEVER_KNEW || (flags & FLAG_COUNTS_WAITS) !== 0;
    let kind: KindSteps | undefined;
    const permits = retryWhileRaced(() => {
      // The entry may belong to a primitive that was freed. Another primitive's bytes may be there by now.
      if (!this.#guards(address)) words.put64(entry + ENTRY_HELD, 0n);
      kind = this.#kindOf(address);
      return kind?.restore?.(this.#record, entry) ?? kernel.restore(this.#record, entry);
    });
    this.#finishWalk();
    if (permits === 0) return;
    if (unseen) this.#losses.ticketsWithdrawn += Number(held);
    else if ((flags & FLAG_SHARED) === 0 && isOwnedLock(words, address)) noteLock(words, this.#losses, address);
    else notePermits(words, this.#losses, address, kind?.restoresOneByOne === true ? Number(held) : permits);
  }

  /**
   * Sets the hazard word, then checks whether a line is there. Only the hazard word prevents the reuse of memory; a
   * ledger entry or a walk over the blocks does not. A line that is there after the hazard word was set stays until the
   * next kernel step on the record ends (kernel/hazard.ts).
   */
  #guards(line: number): boolean {
    const { words } = this.#context;
    words.store32(this.#record + AGENT_HAZARD, line);
    return isLine(words, line);
  }

  /** Leaves the rest to agents that have loaded the kinds of these primitives. */
  #postpone(): void {
    const { words, kernel, id } = this.#context;
    words.store32(this.#record + AGENT_HAZARD, 0);
    words.store32(this.#record + AGENT_STATE, AGENT_PENDING);
    kernel.takeOver(this.#record, this.#id, id, 0);
  }

  /** Returns the record to its pool, all zero except its scratch. If the stub is still in a chain, the record stays. */
  #returnRecord(): void {
    const { words, kernel, id } = this.#context;
    const record = this.#record;
    const stub = record + AGENT_STUB;
    words.store32(record + AGENT_HAZARD, 0);
    if (words.load32(stub + OWNER) !== 0) {
      words.store32(record + AGENT_STATE, AGENT_LEFT);
      kernel.takeOver(record, this.#id, id, 0);
      return;
    }
    // The words that name the owner and the reclaimer stay, so that another agent can continue from here.
    // This agent may die at each write; a model tries all of these points.
    for (const [from, to] of CLEARED) {
      for (let at = from; at < to; at += 8) if (words.get64(record + at) !== 0n) words.put64(record + at, 0n);
    }
    kernel.dismiss(record, this.#id, id);
  }
}
