// Performs random steps at priority semaphores: agents acquire, release, wait, cancel, close, die and are recovered.
// During the walk of one agent the others continue.

import type { Random } from '@sluice/harness';
import * as L from '../../../core/src/kernel/layout.ts';
import {
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  LINKED,
  NEEDS_WALK,
  QUEUED,
  WAITING,
} from '../../../core/src/kernel/states.ts';
import { countLines, fixtureBytesUsed, type Line, type Plan } from '../../../core/test/support/block-fixture.ts';
import { LinePlayers, type LineNames } from '../../../core/test/support/line-players.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import * as S from '../../src/kernel/layout.ts';
import { PRIORITY } from '../../src/kinds.ts';

const front = (limit: number): Line => ({
  flags: 0,
  noted: true,
  fill: (twins, line) => {
    twins.put32(line + L.LIMIT, limit);
    twins.put64(line + L.TICKET, 0n);
    twins.put64(line + L.GRANT, 2n);
  },
});

const level: Line = {
  flags: 0,
  fill: (twins, line, _, block) => {
    twins.put32(line + L.BLOCK_KIND, PRIORITY.code);
    twins.put32(line + S.FRONT, block);
    if (line === block + L.BLOCK_LINE) twins.put32(line + S.AGEING, 2);
  },
};

const PLANS: readonly Plan[] = [4, 0].map((limit) => ({
  kind: PRIORITY.code,
  lines: [front(limit), ...Array.from({ length: S.LEVELS }, () => level)],
}));

const NAMES: LineNames = {
  park: 'park',
  poll: 'pollLevel',
  cancel: 'cancelLevelWait',
  restore: 'restoreLevels',
  releaseForDeadOwner: 'releaseForDeadOwner',
};

/** The steps of the core whose results mean the same. */
const LIKE = new Map([
  ['pollLevel', 'poll'],
  ['cancelLevelWait', 'cancelWait'],
  ['restoreLevels', 'restore'],
  ['walkLevels', 'walk'],
  ['levelsRelease', 'release'],
  ['boxTake', 'takeSome'],
  ['enqueueAtLevel', 'enqueueAtMutex'],
]);

/** The largest number of bytes that the driver uses. */
export function levelBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, countLines(PLANS)) + 24 * L.BLOCK_LINE;
}

export class LevelDriver extends LinePlayers {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    super(twins, random, coverage, heap, ticket, PLANS);
  }

  /** Performs one random step of one random agent. */
  step(): void {
    const agent = this.comesNext();
    if (agent === undefined) return;
    const kind = this.random.below(100);
    const plan = this.random.below(PLANS.length);
    if (kind < 35) this.#goOnWaiting(agent);
    else if (kind < 94) this.#visitFront(agent, plan);
    else if (kind < 97) this.#recover(agent);
    else if (kind < 98) this.#close(agent, plan);
    else if (this.mayRetire) this.retire(agent, plan);
  }

  protected override namesAt(): LineNames {
    return NAMES;
  }

  protected override likeStep(step: string): string {
    return LIKE.get(step) ?? step;
  }

  protected override walkKind(agent: number): boolean {
    const isOnDuty = this.#isOnDuty(agent);
    if (isOnDuty) this.call('walkLevels', this.at(agent));
    return isOnDuty;
  }

  #isOnDuty(agent: number): boolean {
    return this.twins.words.get32(this.at(agent) + L.AGENT_DUTY_KIND) !== 0;
  }

  #visitFront(agent: number, plan: number): void {
    const line = this.linesOf(plan)[0] ?? 0;
    const office = this.office(line);
    const { block } = office;
    const [tag, record, entry] = [this.tag(office), this.at(agent), this.entry(agent, line)];
    const kind = this.random.below(10);
    const permits = this.random.chance(70) ? 1 : this.random.between(2, 6);
    if (kind < 1) this.call('boxTake', block, tag, entry, permits);
    else if (kind < 2) this.call('boxTakeAll', block, tag, entry, permits);
    else if (kind < 6)
      this.visit(agent, line + 1, 'enqueueAtLevel', block, tag, entry, record, this.random.below(S.LEVELS));
    else this.leaves(agent, 'levelsRelease', block, tag, record, entry, permits);
    if (this.#isOnDuty(agent)) this.walking[agent] = true;
  }

  /** Performs the next step of a waiter. */
  #goOnWaiting(agent: number): void {
    const own = this.waits(agent);
    if (own.length === 0) return;
    const element = this.random.pick(own);
    const chance = this.random.below(10);
    const isQueued = this.gate(element) === QUEUED;
    if (isQueued && chance < 3) {
      if (this.call('link', this.at(agent), element.at) === LINKED) this.walking[agent] = true;
    } else if (chance < (isQueued ? 5 : 3)) {
      if (this.call('park', element.at, this.at(agent)) === NEEDS_WALK) this.walking[agent] = true;
    } else if (chance < 7)
      this.settle(
        element,
        this.call('pollLevel', element.at, this.entry(agent, this.linesOf(this.planOf(element.sem))[0] ?? 0)),
      );
    else {
      let left = this.call(
        'cancelLevelWait',
        this.at(agent),
        element.at,
        this.entry(agent, this.linesOf(this.planOf(element.sem))[0] ?? 0),
        0,
      );
      if (left === WAITING) left = this.call('leaveLine', this.at(agent), element.at);
      if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND) this.walking[agent] = true;
      this.settle(element, left);
    }
  }

  #close(agent: number, plan: number): void {
    const office = this.offices[plan];
    if (office === undefined || office.retired) return;
    if (this.call('closeLevels', this.at(agent), office.block, office.tag) < 0) return;
    this.finishWalk(agent);
    this.retire(agent, plan, -office.tag);
  }

  /** Performs the recovery steps for waits and held permits, while the agent stays alive. */
  #recover(agent: number): void {
    this.cancelAllDead(agent, () => 0);
    for (const plan of PLANS.keys()) this.restore(agent, this.linesOf(plan)[0] ?? 0);
  }
}
