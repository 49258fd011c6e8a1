// Random steps at lightweight and multilane semaphores: agents take, release, wait, cancel, close, die and are
// recovered. While one agent is within a walk, the others continue.

import type { Random } from '@sluice/harness';
import * as L from '../../../../core/src/kernel/layout.ts';
import { LINKED, NEEDS_WALK, QUEUED, RACED, TAKEN } from '../../../../core/src/kernel/states.ts';
import { countLines, fixtureBytesUsed, type Line, type Plan } from '../../../../core/test/support/block-fixture.ts';
import type { Twins } from '../../../../core/test/support/twins.ts';
import { FRONT } from '../../../../semaphores/src/kernel/layout.ts';
import * as S from '../../../src/semaphores/kernel/layout.ts';
import { SEMAPHORES } from '../../../src/semaphores/kinds.ts';
import { MemberPlayers } from './member-players.ts';

const LANE_BITS = 2;
const FAMILY = S.FLAG_GLOBAL | S.FLAG_ARRAY | S.FLAG_CHAINED | S.FLAG_MONITORED | S.FLAG_PLACED | S.FLAG_TOKENS;

function front(flags: number, limit = 0): Line {
  return {
    flags,
    noted: true,
    fill: (twins, line, ticket) => {
      twins.put32(line + L.LIMIT, limit);
      if ((flags & S.FLAG_BOX) !== 0) {
        twins.put32(line + S.DEALT_BITS, 0);
        twins.put64(line + L.TICKET, 0n);
        twins.put64(line + L.GRANT, 2n);
        return;
      }
      // Lanes and numbers start at a multiple of the number of lanes.
      twins.put64(line + L.TICKET, (ticket >> 2n) << 2n);
      twins.put64(line + L.GRANT, (ticket >> 2n) << 2n);
      twins.put32(line + S.DEALT_BITS, LANE_BITS);
    },
  };
}

function behind(flags: number): Line {
  return {
    flags: flags === S.FLAG_INNER ? flags : flags | L.FLAG_OWN_CHAIN,
    fill: (twins, line, _, block) => {
      twins.put32(line + L.BLOCK_KIND, SEMAPHORES.code);
      twins.put32(line + FRONT, block);
      if ((flags & S.FLAG_ARRAY) !== 0) twins.put32(line + S.NEAR_TICKETS, 1);
      if ((flags & S.FLAG_TOKENS) === 0) return;
      twins.put64(line + L.TICKET, 0n);
      twins.put64(line + L.GRANT, 0n);
    },
  };
}

const light = (scheme: number, limit = 0): Plan => ({
  kind: SEMAPHORES.code,
  lines: [front(S.FLAG_BOX, limit), behind(scheme | S.FLAG_INNER)],
});
const lanes = (scheme: number, shuffled = 0, limit = 0): Plan => ({
  kind: SEMAPHORES.code,
  lines: [
    front(S.FLAG_DEALER | shuffled, limit),
    ...Array.from({ length: 1 << LANE_BITS }, () => behind(scheme | S.FLAG_DEALT)),
  ],
});

const PLANS: readonly Plan[] = [
  light(0),
  light(S.FLAG_CHAINED, 3),
  light(S.FLAG_TOKENS),
  lanes(0),
  lanes(S.FLAG_MONITORED, S.FLAG_SHUFFLED, 4),
  lanes(S.FLAG_GLOBAL),
];

/** The most bytes that the driver uses. */
export function compositeBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, countLines(PLANS)) + 24 * L.BLOCK_LINE;
}

export class CompositeDriver extends MemberPlayers {
  /**
   * Agents in the middle of a drain: the ledger entry for the permits that they take, and whether all lanes have given
   * their share.
   */
  readonly #draining = new Map<number, { readonly entry: number; readonly all: boolean }>();

  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    super(twins, random, coverage, heap, ticket, PLANS);
  }

  /** Runs one random step of one random agent. */
  step(): void {
    const agent = this.comesNext();
    if (agent === undefined) return;
    if (this.#draining.has(agent)) return this.#goOnDraining(agent);
    const kind = this.random.below(100);
    const plan = this.random.below(PLANS.length);
    if (kind < 35) this.goOnWaiting(agent);
    else if (kind < 94) this.#visitFront(agent, plan);
    else if (kind < 97) this.#recover(agent);
    else if (kind < 98) this.#close(agent, plan);
    else if (this.mayRetire) this.retire(agent, plan);
  }

  #visitFront(agent: number, plan: number): void {
    const line = this.linesOf(plan)[0] ?? 0;
    const office = this.office(line);
    const { block } = office;
    const [tag, record, entry] = [this.tag(office), this.at(agent), this.entry(agent, line)];
    const flags = PLANS[plan]?.lines[0]?.flags ?? 0;
    const isBox = (flags & S.FLAG_BOX) !== 0;
    const kind = this.random.below(10);
    const permits = this.random.chance(70) ? 1 : this.random.between(2, 6);
    if (kind < 2 && isBox) this.call('takeAtBox', block, tag, entry, permits);
    else if (kind < 5 && isBox) this.visit(agent, line + 1, 'enqueueAtBox', block, tag, entry, record);
    else if (isBox) this.leaves(agent, 'boxRelease', block, tag, record, entry, permits);
    else if (kind < 2) this.#enter(agent, line, 'tryEnterLane', block, tag, entry, record);
    else if (kind < 5) this.#enter(agent, line, 'enterLane', block, tag, entry, record);
    else if (kind < 9) this.leaves(agent, 'postToLanes', block, tag, record, entry, permits);
    else if (this.call('beginDrain', block, tag, record, this.random.chance(50) ? permits : 2 ** 31 - 1) > 0)
      this.#draining.set(agent, { entry, all: false });
  }

  /** Takes from the next lane, or takes the numbers. Or cancels, as the recovery of a dead agent does. */
  #goOnDraining(agent: number): void {
    const { entry = 0, all = false } = this.#draining.get(agent) ?? {};
    const record = this.at(agent);
    // Another call of the agent has already walked.
    const isThere = this.twins.words.get32(record + L.AGENT_DUTY) !== 0;
    if (isThere && !this.random.chance(3)) {
      const seen = all ? this.call('endDrain', record, entry) : this.call('drawShare', record);
      if (seen === RACED || (seen === TAKEN && !all))
        return void this.#draining.set(agent, { entry, all: seen === TAKEN });
    }
    this.#draining.delete(agent);
    this.walking[agent] = true;
  }

  /** Runs the next step of a waiter. Waiters of the family check by themselves, and are never in a chain. */
  protected override goOnWaiting(agent: number): void {
    const own = this.waits(agent);
    if (own.length === 0) return;
    const element = this.random.pick(own);
    const { words } = this.twins;
    const inLine = (words.get32(words.get32(element.at + L.LINE) + L.FLAGS) & FAMILY) === 0;
    const entry = this.entry(agent, this.linesOf(this.planOf(element.sem))[0] ?? 0);
    const chance = this.random.below(10);
    const isQueued = this.gate(element) === QUEUED;
    if (inLine && isQueued && chance < 3) {
      if (this.call('link', this.at(agent), element.at) === LINKED) this.walking[agent] = true;
    } else if (inLine && chance < (isQueued ? 5 : 3)) {
      if (this.call('park', element.at, this.at(agent)) === NEEDS_WALK) this.walking[agent] = true;
    } else if (chance < 7) this.pollMember(element, entry);
    else this.cancelMember(agent, element, entry);
  }

  /** Any line except the first stands for all lines of the plan: elements know their own. */
  #enter(agent: number, line: number, step: 'enterLane' | 'tryEnterLane', ...args: readonly number[]): void {
    this.visit(agent, line + 1, step, ...args);
  }

  #close(agent: number, plan: number): void {
    const office = this.offices[plan];
    if (office === undefined || office.retired) return;
    if (this.call('closeFront', this.at(agent), office.block, office.tag) < 0) return;
    this.finishWalk(agent);
    this.retire(agent, plan, -office.tag);
  }

  /** Runs the recovery's steps on waits and permits, although the agent is alive. */
  #recover(agent: number): void {
    this.cancelAllDead(agent, () => 0);
    for (const plan of PLANS.keys()) this.restore(agent, this.linesOf(plan)[0] ?? 0);
  }
}
