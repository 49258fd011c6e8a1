// Random steps at manual-reset events: agents set, reset, wait, cancel, die and are recovered.

import type { Random } from '@sluice/harness';
import * as L from '../../../core/src/kernel/layout.ts';
import { fixtureBytesUsed } from '../../../core/test/support/block-fixture.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import { WaiterDriver } from '../../../core/test/support/waiter-driver.ts';
import { MANUAL_EVENT } from '../../src/kinds.ts';

const EVENTS = 2;
const STEPS = { enqueue: 'enqueueAtManualEvent', poll: 'pollManualEvent', cancel: 'cancelManualWait' };

export function eventBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, EVENTS);
}

export class EventDriver extends WaiterDriver {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, word: bigint) {
    const fill = (to: Twins, line: number): void => {
      to.put64(line + L.TICKET, 0n);
      to.put64(line + L.GRANT, BigInt.asIntN(64, word));
    };
    super(
      twins,
      random,
      coverage,
      heap,
      Array.from({ length: EVENTS }, () => ({ kind: MANUAL_EVENT.code, lines: [{ flags: 0, noted: true, fill }] })),
      STEPS,
    );
  }

  protected override act(agent: number, line: number): void {
    const office = this.office(line);
    const [tag, record, event] = [this.tag(office), this.at(agent), office.block];
    const kind = this.random.below(100);
    if (kind < 14) this.walks(agent, this.call('setManualEvent', event, tag, record));
    else if (kind < 30) this.call('resetManualEvent', event, tag);
    else if (kind < 60) this.visit(agent, line, tag);
    else if (kind < 96) this.goOn(agent);
    else if (kind < 99) this.recover(agent, line);
    else if (this.random.chance(20)) this.retire(agent, line);
  }
}
