// Random steps at events: agents signal, wait, cancel, die and are recovered. While one agent is within a walk, the
// others continue.

import type { Random } from '@sluice/harness';
import { countLines, fixtureBytesUsed, type Plan } from '../../../core/test/support/block-fixture.ts';
import { LinePlayers, type LineNames } from '../../../core/test/support/line-players.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import { EVENT } from '../../src/kinds.ts';

const PLANS: readonly Plan[] = [
  { kind: EVENT.code, lines: [{ flags: 0, noted: true }] },
  { kind: EVENT.code, lines: [{ flags: 0, noted: true }] },
];
const LINES = countLines(PLANS);
const ALL = [...PLANS.keys()];

const NAMES: LineNames = {
  park: 'park',
  poll: 'pollEvent',
  cancel: 'cancelEventWait',
  restore: 'restoreSignals',
  releaseForDeadOwner: 'releaseForDeadOwner',
};
const LIKE = new Map([
  ['signalEvent', 'release'],
  ['enqueueAtEvent', 'enqueueAtMutex'],
  ['pollEvent', 'poll'],
  ['cancelEventWait', 'cancelWait'],
  ['restoreSignals', 'restore'],
]);

/** The most bytes that the driver uses. */
export function eventBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, LINES);
}

export class EventDriver extends LinePlayers {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    super(twins, random, coverage, heap, ticket, PLANS);
  }

  /** Runs one random step of one random agent. */
  step(): void {
    const agent = this.comesNext();
    if (agent === undefined) return;
    const kind = this.random.below(100);
    if (kind < 45) this.goOnWaiting(agent);
    else if (kind < 93) this.#event(agent, this.random.pick(ALL));
    else if (kind < 96) this.#recover(agent);
    else if (kind < 98)
      this.call('wakeEarly', this.at(agent), this.line(this.random.pick(ALL)), this.random.between(1, 3));
    else if (this.mayRetire) this.retire(agent, this.random.pick(ALL));
  }

  #event(agent: number, line: number): void {
    const office = this.office(line);
    const [tag, record] = [this.tag(office), this.at(agent)];
    const kind = this.random.below(10);
    if (kind < 4) this.leaves(agent, 'signalEvent', office.block, tag, record);
    else if (kind < 6) this.call('consumeEvent', office.block, tag);
    else this.visit(agent, line, 'enqueueAtEvent', office.block, tag, record);
  }

  protected override namesAt(): LineNames {
    return NAMES;
  }

  protected override likeStep(step: string): string {
    return LIKE.get(step) ?? step;
  }

  /** Runs the recovery's steps on waits and on unseen signals, although the agent is alive. */
  #recover(agent: number): void {
    this.cancelAllDead(agent, (line) => this.entry(agent, line));
    for (const line of ALL) this.restore(agent, line);
  }
}
