// Random steps at countdown latches: agents add, claim, count down, wait, cancel, die and are recovered.

import type { Random } from '@sluice/harness';
import * as L from '../../../core/src/kernel/layout.ts';
import { RACED } from '../../../core/src/kernel/states.ts';
import { fixtureBytesUsed } from '../../../core/test/support/block-fixture.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import { WaiterDriver } from '../../../core/test/support/waiter-driver.ts';
import { LATCH } from '../../src/kinds.ts';

const LATCHES = 2;
const STEPS = { enqueue: 'enqueueAtLatch', poll: 'pollLatch', cancel: 'cancelLatchWait' };

export function latchBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, LATCHES);
}

export class LatchDriver extends WaiterDriver {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, rounds: bigint) {
    const fill = (to: Twins, line: number): void => {
      to.put64(line + L.TICKET, 0n);
      to.put64(line + L.GRANT, BigInt.asIntN(64, rounds << 32n));
    };
    super(
      twins,
      random,
      coverage,
      heap,
      Array.from({ length: LATCHES }, () => ({ kind: LATCH.code, lines: [{ flags: 0, noted: true, fill }] })),
      STEPS,
    );
  }

  protected override act(agent: number, line: number): void {
    const office = this.office(line);
    const [tag, record, entry, latch] = [this.tag(office), this.at(agent), this.entryAt(agent, line), office.block];
    const kind = this.random.below(100);
    const n = this.random.chance(90) ? this.random.between(1, 3) : 0x7fffffff;
    if (kind < 12) this.call('addToLatch', latch, tag, n);
    else if (kind < 24) this.call('claimAtLatch', latch, tag, entry, n);
    else if (kind < 44) this.walks(agent, this.call('countDown', latch, tag, record, entry, n));
    else if (kind < 62) this.visit(agent, line, tag);
    else if (kind < 95) this.goOn(agent);
    else if (kind < 98) this.recover(agent, line, () => this.#restore(record, entry));
    else if (kind === 98) this.#empty(agent, line);
    else if (this.random.chance(20)) this.retire(agent, line);
  }

  #restore(record: number, entry: number): void {
    if (this.call('restoreClaims', record, entry) === RACED)
      this.twins.fail('restoreClaims lost a race against no agent');
  }

  /** Ends the round. */
  #empty(agent: number, line: number): void {
    const { block, tag } = this.office(line);
    const count = 0 - this.twins.words.load32(block + L.GRANT);
    if (count > 0)
      this.walks(agent, this.call('countDown', block, tag, this.at(agent), this.entry(agent, line), count));
  }
}
