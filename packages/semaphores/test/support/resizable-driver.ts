// Performs random steps at resizable semaphores: agents acquire, release, change the size, wait, watch, cancel all
// waits, time out, close, die and are recovered. During the walk of one agent the others continue.

import type { Random } from '@sluice/harness';
import * as L from '../../../core/src/kernel/layout.ts';
import { CANCELLED, CANCELLED_LEFT_BEHIND } from '../../../core/src/kernel/states.ts';
import { countLines, fixtureBytesUsed, type Plan } from '../../../core/test/support/block-fixture.ts';
import { ELEMENTS, type Element } from '../../../core/test/support/kernel-players.ts';
import { LinePlayers, type LineNames } from '../../../core/test/support/line-players.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import * as S from '../../src/kernel/layout.ts';
import { CANCELLED_HOLDING, LEFT_BEHIND_HOLDING } from '../../src/kernel/outcomes.ts';
import { RESIZABLE } from '../../src/resizable-kind.ts';

const MOST = 2 ** 31 - 1;
/** The maximum number of free permits. With more, no agent would wait. */
const MAX_FREE = 3;

/** In the first line agents wait for permits. In the second, watchers wait until one is free. */
const plan = (permits: number): Plan => ({
  kind: RESIZABLE.code,
  lines: [
    { flags: L.FLAG_RECOVERY, noted: true, fill: (twins, home) => twins.put64(home + L.CAPACITY, BigInt(permits)) },
    {
      flags: S.FLAG_WATCH,
      fill: (twins, office) => {
        twins.put32(office + L.BLOCK_KIND, RESIZABLE.code);
        twins.put64(office + S.BALANCE, BigInt(permits) << 32n);
      },
    },
  ],
});

const PLANS: readonly Plan[] = [plan(2), plan(-2), plan(1)];

const FOR_PERMITS: LineNames = {
  park: 'parkSized',
  poll: 'pollSized',
  cancel: 'cancelSized',
  restore: 'restoreSized',
  releaseForDeadOwner: 'releaseForDeadOwner',
};
const WATCHING: LineNames = { ...FOR_PERMITS, park: 'park', poll: 'pollWatcher', cancel: 'cancelWatcher' };

/** The steps of the core whose results mean the same. */
const LIKE = new Map([
  ['parkSized', 'park'],
  ['restoreSized', 'restore'],
  ['walkSized', 'walk'],
  ['drainSized', 'takeSome'],
  ...['releaseSized', 'resizeSized'].map((step) => [step, 'release'] as const),
  ...['enqueueSized', 'watchSized'].map((step) => [step, 'enqueueAtMutex'] as const),
]);

/** A pool of two records: an element that no agent has, and one of the driver's. */
const POOL = L.POOL_RECORDS + L.ELEMENT_STRIDE;

function poolsBegin(heap: number): number {
  return fixtureBytesUsed(heap, countLines(PLANS));
}

/** The largest number of bytes that the driver uses. */
export function resizableBytesUsed(heap: number): number {
  return poolsBegin(heap) + ELEMENTS * POOL;
}

export class ResizableDriver extends LinePlayers {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    super(twins, random, coverage, heap, ticket, PLANS);
    this.#listElements(poolsBegin(heap));
  }

  /** A cancel visits the elements of all pools. */
  #listElements(begin: number): void {
    for (const [index, { at }] of this.elements.entries()) {
      const pool = begin + index * POOL;
      this.twins.put32(pool + L.POOL_COUNT, 2);
      this.twins.put32(pool + L.POOL_STRIDE, at - pool - L.POOL_RECORDS);
      this.twins.put32(pool + L.POOL_NEXT, index + 1 < this.elements.length ? pool + POOL : 0);
    }
    this.twins.put32(L.HEADER_ELEMENT_POOL, begin);
  }

  /** Performs one random step of one random agent. */
  step(): void {
    const agent = this.comesNext();
    if (agent === undefined) return;
    const kind = this.random.below(100);
    const of = this.random.below(PLANS.length);
    if (kind < 42) this.goOnWaiting(agent);
    else if (kind < 94) this.#visit(agent, of);
    else if (kind < 97) this.#recover(agent);
    else if (kind < 98) this.#close(agent, of);
    else if (this.mayRetire) this.retire(agent, of);
  }

  #visit(agent: number, of: number): void {
    const [line = 0, watched = 0] = this.linesOf(of);
    const office = this.office(line);
    const { block } = office;
    const [tag, record, entry] = [this.tag(office), this.at(agent), this.entry(agent, line)];
    const permits = this.random.between(1, 3);
    const free = this.#free(line);
    const isHuge = this.random.chance(3);
    const kind = this.random.below(20);
    if (free > MAX_FREE) this.leaves(agent, 'resizeSized', block, tag, record, this.random.below(3), 0);
    else if (kind < 2) this.call('takeSized', block, tag, entry, permits);
    else if (kind < 3) this.call('drainSized', block, tag, entry);
    else if (kind < 8) {
      this.visit(
        agent,
        line,
        'enqueueSized',
        block,
        tag,
        entry,
        record,
        isHuge && this.#lacking(line) > 0 ? MOST : permits,
      );
      this.walking[agent] = true;
    } else if (kind < 13)
      this.leaves(agent, 'releaseSized', block, tag, record, entry, isHuge && free > 0 ? MOST : permits);
    else if (kind < 14) this.leaves(agent, 'resizeSized', block, tag, record, this.random.below(4), 0);
    else if (kind < 15)
      this.leaves(agent, 'resizeSized', block, tag, record, isHuge ? MOST : this.random.between(-2, 2), 1);
    else if (kind < 16) this.call('forgetSized', block, tag, entry, this.random.between(1, 2));
    else if (kind < 17) {
      this.call('cancelAllSized', block, tag, record, this.random.below(9));
      this.walking[agent] = true;
    } else this.visit(agent, watched, 'watchSized', block, tag, record, permits, this.mayWait());
  }

  #word(line: number): bigint {
    return this.twins.words.load64(this.line(line) + L.BLOCK_LINE + S.BALANCE);
  }

  #free(line: number): number {
    return Number(this.#word(line) >> 32n);
  }

  #lacking(line: number): number {
    return Number(BigInt.asIntN(32, this.#word(line)));
  }

  #close(agent: number, of: number): void {
    const office = this.offices[of];
    if (office === undefined || office.retired) return;
    this.call('closeSized', this.at(agent), office.block, office.tag);
    this.call('closeSized', this.at(agent), office.block, office.tag);
    this.finishWalk(agent);
    this.retire(agent, of, -office.tag);
  }

  /** Performs the recovery steps for waits and held permits, while the agent stays alive. */
  #recover(agent: number): void {
    this.cancelAllDead(agent, (line) => this.entry(agent, line));
    for (const of of PLANS.keys()) this.restore(agent, this.linesOf(of)[0] ?? 0);
  }

  protected override namesAt(line: number): LineNames {
    return this.linesOf(this.planOf(line))[0] === line ? FOR_PERMITS : WATCHING;
  }

  protected override likeStep(step: string): string {
    return LIKE.get(step) ?? step;
  }

  /** Performs the visits of a cancel. */
  protected override walkKind(agent: number): boolean {
    const isOnDuty = this.twins.words.get32(this.at(agent) + L.AGENT_DUTY_KIND) !== 0;
    if (isOnDuty) this.call('walkSized', this.at(agent));
    return isOnDuty;
  }

  /** Releases the permits that a waiter has collected, after the walk for its lacking permits. */
  protected override settle(element: Element, result: number): void {
    if (result !== CANCELLED_HOLDING && result !== LEFT_BEHIND_HOLDING) {
      super.settle(element, result);
      return;
    }
    const { owner: agent = 0, sem } = element;
    super.settle(element, result === CANCELLED_HOLDING ? CANCELLED : CANCELLED_LEFT_BEHIND);
    this.walking[agent] = true;
    this.finishWalk(agent);
    const { block, tag } = this.office(sem);
    const entry = this.entry(agent, sem);
    this.leaves(agent, 'releaseSized', block, tag, this.at(agent), entry, this.twins.words.get32(entry + S.ENTRY_BACK));
  }
}
