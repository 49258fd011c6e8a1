// Random steps at the locks of this package: agents lock, unlock, wait, compete, cancel, die and are recovered. While
// one agent is within a walk or a hand-off, the others continue.

import type { Random } from '@sluice/harness';
import * as L from '../../../core/src/kernel/layout.ts';
import { GRANTED, RACED, TAKEN } from '../../../core/src/kernel/states.ts';
import { countLines, fixtureBytesUsed, type Plan } from '../../../core/test/support/block-fixture.ts';
import { OF_THE_CORE, LinePlayers, type LineNames } from '../../../core/test/support/line-players.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import { FLAG_MCS, FLAG_RECIPROCATING } from '../../src/kernel/layout.ts';
import { LIFO, MCS, RECIPROCATING, TICKET, TTS as TTS_LOCK } from '../../src/kinds.ts';

function queued(kind: number, flags: number): Plan {
  return { kind, lines: [{ flags: L.FLAG_OWNED | (1 << L.OWNERS_AT) | flags, fill: withoutCounters }] };
}

/** A queued lock has no such step. */
function withoutCounters(twins: Twins, line: number): void {
  for (const counter of [L.TICKET, L.GRANT]) twins.put64(line + counter, 0n);
}

const PLANS: readonly Plan[] = [
  { kind: TTS_LOCK.code, lines: [{ flags: L.FLAG_OWNED | (1 << L.OWNERS_AT) }] },
  {
    kind: TICKET.code,
    lines: [
      {
        flags: L.FLAG_OWNED | L.FLAG_RECOVERY,
        noted: true,
        fill: (twins, line, ticket) => twins.put64(line + L.GRANT, BigInt.asIntN(64, ticket + 1n)),
      },
    ],
  },
  queued(MCS.code, FLAG_MCS),
  queued(LIFO.code, 0),
  queued(RECIPROCATING.code, FLAG_RECIPROCATING),
];
const TTS = 0;
const TICKET_LOCK = 1;
const FIRST_QUEUED = 2;
const LINES = countLines(PLANS);
const QUEUED_LOCKS = Array.from({ length: LINES - FIRST_QUEUED }, (_, index) => FIRST_QUEUED + index);
const ALL = [TTS, TICKET_LOCK, ...QUEUED_LOCKS];
const OF_TTS = {
  park: 'parkTts',
  poll: 'pollTts',
  cancel: 'cancelTtsWait',
  restore: 'restore',
  releaseForDeadOwner: 'releaseTtsForDeadOwner',
} satisfies LineNames;
const OF_QUEUED = {
  park: 'park',
  poll: 'pollQueued',
  cancel: 'cancelQueuedWait',
  restore: 'restore',
  releaseForDeadOwner: 'releaseQueuedForDeadOwner',
} satisfies LineNames;
/** The bit from which on the word of the test-and-test-and-set lock counts waiters. */
const WAITERS_BIT = 35n;

/** The most bytes that the driver uses. */
export function lockBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, LINES);
}

export class LockDriver extends LinePlayers {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    super(twins, random, coverage, heap, ticket, PLANS);
  }

  protected override namesAt(line: number): LineNames {
    if (line === TICKET_LOCK) return OF_THE_CORE;
    return line === TTS ? OF_TTS : OF_QUEUED;
  }

  /** Runs one random step of one random agent. */
  step(): void {
    const agent = this.comesNext();
    if (agent === undefined) return;
    const kind = this.random.below(100);
    if (kind < 36) this.goOnWaiting(agent);
    else if (kind < 54) this.#tts(agent);
    else if (kind < 64) this.#ticketLock(agent);
    else if (kind < 93) this.#queued(agent, this.random.pick(QUEUED_LOCKS));
    else if (kind < 95) this.#recover(agent);
    else if (kind < 97) this.changeHealth(ALL);
    else if (kind < 98)
      this.call(
        'wakeEarly',
        this.at(agent),
        this.line(this.random.pick([TTS, TICKET_LOCK])),
        this.random.between(1, 3),
      );
    else if (kind < 99) this.halfLeave(agent, [TTS]);
    else if (this.mayRetire) this.#retire(agent);
  }

  #tts(agent: number): void {
    const office = this.office(TTS);
    const { block } = office;
    const [tag, id, record] = [this.tag(office), agent + 1, this.at(agent)];
    const kind = this.random.below(12);
    if (kind < 3) this.call('lockTts', block, tag, id);
    else if (kind < 7) this.visit(agent, TTS, 'enqueueAtTts', block, tag, record, this.mayWait());
    else if (kind < 11 && this.leaves(agent, 'unlockTts', block, tag, record, id) === RACED) this.#passTts(agent);
    else if (kind === 11) this.#passTts(agent);
  }

  #passTts(agent: number): void {
    this.leaves(agent, 'passTts', this.line(TTS), this.at(agent), agent + 1);
  }

  #ticketLock(agent: number): void {
    const office = this.office(TICKET_LOCK);
    const { block } = office;
    const [tag, record, entry] = [this.tag(office), this.at(agent), this.entry(agent, TICKET_LOCK)];
    const kind = this.random.below(11);
    if (kind < 3) this.call('lockTicket', block, tag, entry);
    else if (kind < 6) this.visit(agent, TICKET_LOCK, 'enqueueAtTicketLock', block, tag, entry, record, this.mayWait());
    else if (kind < 10 && this.leaves(agent, 'unlockTicket', block, tag, record, entry) === RACED)
      this.#passTicket(agent);
    else if (kind === 10) this.#passTicket(agent);
  }

  #passTicket(agent: number): void {
    this.leaves(agent, 'passTicket', this.line(TICKET_LOCK), this.at(agent), this.entry(agent, TICKET_LOCK));
  }

  #queued(agent: number, line: number): void {
    const office = this.office(line);
    const { block } = office;
    const [tag, id, record] = [this.tag(office), agent + 1, this.at(agent)];
    const kind = this.random.below(12);
    if (kind < 2) this.call('lockQueued', block, tag, id);
    else if (kind < 4 && this.comesBack(agent, line)) return;
    else if (kind < 6) this.visit(agent, line, 'enqueueAtQueuedLock', block, tag, record, this.mayWait());
    // Unlocks a lock that the agent knows to be its own.
    else if (this.#isUntold(agent, line)) this.goOnWaiting(agent);
    // A handover takes several calls. Calls of other agents come in between.
    else if (kind > 8 || this.call('unlockQueued', block, tag, id) === RACED)
      this.leaves(agent, 'handOverQueued', block, record, id);
  }

  protected override countOut(line: number): boolean {
    return this.countOutAt(line, WAITERS_BIT);
  }

  /** Runs the recovery's steps on waits and locks, although the agent is alive. */
  #recover(agent: number): void {
    if (this.random.chance(70)) {
      // A grant of an owned lock is passed on at once.
      this.cancelAllDead(agent, () => 0);
      this.restore(agent, TICKET_LOCK);
    }
    for (const line of [TTS, ...QUEUED_LOCKS]) if (!this.#isUntold(agent, line)) this.releaseForDeadOwner(agent, line);
  }

  /** The agent was handed a queued lock, and has not checked. */
  #isUntold(agent: number, line: number): boolean {
    return this.waits(agent).some((wait) => wait.sem === line && this.gate(wait) === GRANTED);
  }

  /** No agent may wait at a queued lock then: the agent that frees it has locked it before. */
  #retire(agent: number): void {
    const plan = this.random.below(PLANS.length);
    const { block, tag } = this.office(plan);
    if (plan >= FIRST_QUEUED && this.call('lockQueued', block, tag, agent + 1) !== TAKEN) return;
    this.retire(agent, plan);
  }
}
