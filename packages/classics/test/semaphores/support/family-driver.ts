// Random steps at semaphores of the family and in the chains of conditions: agents take, release, wait in every way,
// cancel, close, die and are recovered. While one agent is within a walk, the others continue.

import type { Random } from '@sluice/harness';
import * as L from '../../../../core/src/kernel/layout.ts';
import { SLEEPING, CANCELLED, RACED, WAITING, WATCHING, WOKEN } from '../../../../core/src/kernel/states.ts';
import { countLines, fixtureBytesUsed, type Plan } from '../../../../core/test/support/block-fixture.ts';
import type { Element } from '../../../../core/test/support/kernel-players.ts';
import type { Twins } from '../../../../core/test/support/twins.ts';
import * as S from '../../../src/semaphores/kernel/layout.ts';
import { SEMAPHORES } from '../../../src/semaphores/kinds.ts';
import { MemberPlayers } from './member-players.ts';

const PERMITS = 2;
const HASHES = S.HASH_MIXED + 1;
const ON_CONDITION = -1;

function plan(flags: number, limit = 0): Plan {
  return {
    kind: SEMAPHORES.code,
    lines: [
      {
        flags: flags | L.FLAG_OWN_CHAIN,
        noted: true,
        fill: (twins, line, ticket) => {
          const tokens = (flags & S.FLAG_TOKENS) !== 0;
          if (tokens) twins.put64(line + L.TICKET, 0n);
          twins.put64(line + L.GRANT, tokens ? BigInt(PERMITS) : BigInt.asIntN(64, ticket + BigInt(PERMITS)));
          twins.put64(line + L.CAPACITY, BigInt(PERMITS));
          twins.put32(line + L.LIMIT, limit);
          const hash = Number(BigInt.asUintN(32, ticket)) % HASHES;
          if ((flags & S.FLAG_ARRAY) !== 0)
            twins.put32(line + S.NEAR_TICKETS, (hash << S.HASH_SHIFT) | S.SLOT_HOLDS_WAITER | 1);
        },
      },
    ],
  };
}

const PLANS: readonly Plan[] = [
  plan(S.FLAG_GLOBAL),
  plan(S.FLAG_ARRAY | S.FLAG_CONSERVATIVE),
  plan(S.FLAG_CHAINED, 4),
  plan(S.FLAG_MONITORED),
  plan(S.FLAG_PLACED),
  plan(S.FLAG_TOKENS, 4),
];
const ARRAY = 1;
const TOKENS = 5;

export function familyBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, countLines(PLANS)) + 24 * L.BLOCK_LINE;
}

export class FamilyDriver extends MemberPlayers {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    super(twins, random, coverage, heap, ticket, PLANS);
  }

  /** Runs one random step of one random agent. */
  step(): void {
    const agent = this.comesNext();
    if (agent === undefined) return;
    const kind = this.random.below(100);
    const index = this.random.below(PLANS.length);
    if (kind < 25) this.goOnWaiting(agent);
    else if (kind < 45) this.#goOnWatching(agent);
    else if (kind < 60) this.#beginWatching(agent);
    else if (kind < 75) this.#signal(agent);
    else if (kind < 92) this.#visitMember(agent, index);
    else if (kind < 95) this.#merge(agent);
    else if (kind < 97) this.#recover(agent);
    else if (kind < 98) this.#close(agent, index);
    else if (this.mayRetire) this.retire(agent, index);
  }

  #bucket(): number {
    const { words } = this.twins;
    return L.BUCKETS + (this.random.below(words.get32(L.HEADER_BUCKET_MASK) + 1) << L.BUCKET_SHIFT);
  }

  #visitMember(agent: number, index: number): void {
    const office = this.office(index);
    const { block } = office;
    const [tag, record, entry] = [this.tag(office), this.at(agent), this.entry(agent, index)];
    const permits = this.random.chance(70) ? 1 : this.random.between(2, 3);
    const kind = this.random.below(10);
    if (kind === 9 && index === ARRAY) this.call('slotOfTicket', block, this.random.between(-100, 100));
    else if (kind === 9) this.call('bucketAt', block, this.random.below(100));
    else if (index === TOKENS && kind < 5) this.call('takeTokens', block, tag, entry, permits);
    else if (index === TOKENS) this.leaves(agent, 'giveTokens', block, tag, record, entry, permits);
    else if (kind < 2) this.call('tryAcquire', block, tag, entry, permits);
    else if (kind < 5) this.visit(agent, index, 'acquireTicket', block, tag, entry, permits, record);
    else if (index === ARRAY) this.leaves(agent, 'releaseBlindly', block, tag, record, entry, permits);
    else this.leaves(agent, 'releaseTickets', block, tag, record, entry, permits);
  }

  /** Merges two neighbours among the tombstones of a line, if there are any. */
  #merge(agent: number): void {
    const { words } = this.twins;
    const index = this.random.below(TOKENS);
    const office = this.office(index);
    for (let tickets = 0; tickets < 4; tickets++)
      this.visit(agent, index, 'acquireTicket', office.block, office.tag, this.entry(agent, index), 1, this.at(agent));
    // Cancels all of the agent's waits there except the first and the last, which leaves tombstones.
    const waits = this.waits(agent).filter(({ sem }) => sem === index);
    for (const element of waits.slice(1, -1)) {
      this.cancelMember(agent, element, this.entry(agent, index));
      this.finishWalk(agent);
    }
    this.call('beginMerge', this.at(agent), office.block, this.tag(office));
    this.walking[agent] = true;
    const chain: number[] = [];
    for (let at = words.get32(this.at(agent) + L.KIND_AREA + L.AGENT_CHAIN); at !== 0; at = words.get32(at + L.NEXT))
      chain.push(at);
    const behind = (at: number): bigint =>
      BigInt.asIntN(64, words.get64(at + L.DRAWN) + BigInt(words.get32(at + L.COUNT)));
    for (const [depth, kept] of chain.entries()) {
      const gone = chain.findIndex(
        (at, below) =>
          below > depth && (behind(at) === words.get64(kept + L.DRAWN) || behind(kept) === words.get64(at + L.DRAWN)),
      );
      if (gone < 0) continue;
      this.call('mergeNeighbours', chain[gone - 1] ?? 0, kept, chain[gone] ?? 0);
      return;
    }
  }

  /** Waiters of the family check by themselves, and are never in a chain of their own. */
  protected override goOnWaiting(agent: number): void {
    const own = this.waits(agent).filter(({ sem }) => sem !== ON_CONDITION);
    if (own.length === 0) return;
    const element = this.random.pick(own);
    const entry = this.entry(agent, element.sem);
    if (this.random.chance(60)) this.pollMember(element, entry);
    else this.cancelMember(agent, element, entry);
  }

  #beginWatching(agent: number): void {
    const element = this.element(agent);
    if (element === undefined) return;
    if (this.random.chance(20)) {
      const bucket = this.#bucket();
      this.call('sleepOn', element.at, bucket + L.SLEEPERS, bucket + L.UPDATES, 0);
      this.beginWait(element, ON_CONDITION);
      return;
    }
    const mode = this.random.pick([L.MODE_BLOCKING, L.MODE_ASYNC]);
    if (this.call('pushOntoChain', element.at, this.#bucket(), this.random.below(2), mode) === WAITING)
      this.beginWait(element, ON_CONDITION);
  }

  #goOnWatching(agent: number): void {
    const own = this.waits(agent).filter(({ sem }) => sem === ON_CONDITION);
    if (own.length === 0) return;
    const element = this.random.pick(own);
    const gate = this.gate(element);
    if (gate === WOKEN && this.random.chance(70)) {
      this.call('moveOn', this.at(agent), element.at);
      this.settle(element, CANCELLED);
      this.walking[agent] = true;
    } else if (gate === WATCHING && this.random.chance(60)) this.call('sleepOnGate', element.at);
    else if (gate === WATCHING || gate === SLEEPING || gate === WOKEN) this.#leaveChain(agent, element);
    else {
      this.call('wakeUp', element.at);
      this.settle(element, CANCELLED);
    }
  }

  #leaveChain(agent: number, element: Element): void {
    const left = this.call('leaveChain', this.at(agent), element.at);
    this.settle(element, left);
    this.walking[agent] = true;
  }

  #signal(agent: number): void {
    const bucket = this.#bucket();
    const record = this.at(agent);
    const kind = this.random.below(10);
    const polite = this.random.below(2);
    if (kind < 1) this.call('sequence', bucket);
    else if (kind < 4) this.leaves(agent, 'signalChain', record, bucket, polite);
    else if (kind < 7) this.leaves(agent, 'signalKey', record, bucket, polite);
    else if (kind < 9) this.leaves(agent, 'signalSlot', record, bucket, this.random.below(2));
    else this.leaves(agent, 'wakeAllAt', record, bucket);
    this.walking[agent] = true;
  }

  #close(agent: number, index: number): void {
    const office = this.offices[index];
    if (office === undefined || office.retired) return;
    if (this.call('closeOfFamily', this.at(agent), office.block, office.tag) === RACED) return;
    this.finishWalk(agent);
    this.call('closeOfFamily', this.at(agent), office.block, office.tag);
    office.retired = this.call('retire', this.at(agent), office.block, -office.tag) > 0;
    this.walking[agent] = true;
  }

  /** Runs the recovery's steps on waits and permits, although the agent is alive. */
  #recover(agent: number): void {
    for (const element of this.waits(agent).filter(({ sem }) => sem === ON_CONDITION)) {
      if (this.gate(element) === WATCHING || this.gate(element) === SLEEPING || this.gate(element) === WOKEN)
        this.#leaveChain(agent, element);
      else {
        this.call('wakeUp', element.at);
        this.settle(element, CANCELLED);
      }
      this.finishWalk(agent);
    }
    this.cancelAllDead(agent, (line) => this.entry(agent, line));
    for (const index of PLANS.keys()) this.restore(agent, index);
  }
}
