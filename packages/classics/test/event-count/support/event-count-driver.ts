// Random steps at event counts and sequencers: agents advance, wait, cancel, draw tickets, die and are recovered.

import type { Random } from '@sluice/harness';
import * as L from '../../../../core/src/kernel/layout.ts';
import { fixtureBytesUsed } from '../../../../core/test/support/block-fixture.ts';
import type { Twins } from '../../../../core/test/support/twins.ts';
import { WaiterDriver } from '../../../../core/test/support/waiter-driver.ts';
import { EVENT_COUNT } from '../../../src/event-count/kinds.ts';

const BLOCKS = 2;
const STEPS = { enqueue: 'enqueueAtEventCount', poll: 'pollEventCount', cancel: 'cancelEventCountWait' };
/** The value of a wait lies at most so far ahead of the count. */
const AHEAD = 6;

export function eventCountBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, BLOCKS);
}

export class EventCountDriver extends WaiterDriver {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, count: bigint) {
    const fill = (to: Twins, line: number): void => {
      to.put64(line + L.TICKET, 0n);
      to.put64(line + L.GRANT, count);
    };
    super(
      twins,
      random,
      coverage,
      heap,
      Array.from({ length: BLOCKS }, () => ({ kind: EVENT_COUNT.code, lines: [{ flags: 0, noted: true, fill }] })),
      STEPS,
    );
  }

  protected override act(agent: number, line: number): void {
    const office = this.office(line);
    const [tag, record, event] = [this.tag(office), this.at(agent), office.block];
    const kind = this.random.below(100);
    if (kind < 20) {
      const n = this.random.chance(70) ? 1 : this.random.between(2, AHEAD);
      this.walks(agent, this.call('advanceEventCount', event, tag, record, n));
    } else if (kind < 21) this.call('drawAtSequencer', event, tag);
    else if (kind < 60) this.visit(agent, line, tag, () => [this.#value(event)]);
    else if (kind < 96) this.goOn(agent);
    else if (kind < 99) this.recover(agent, line);
    else if (this.random.chance(20)) this.retire(agent, line);
  }

  #value(event: number): number {
    const count = Number(this.twins.words.load64(event + L.GRANT));
    return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, count + this.random.between(-1, AHEAD)));
  }
}
