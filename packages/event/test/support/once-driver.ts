// Random steps at onces: agents begin and end attempts, close, wait, cancel, die and are recovered.

import type { Random } from '@sluice/harness';
import * as L from '../../../core/src/kernel/layout.ts';
import { TAKEN } from '../../../core/src/kernel/states.ts';
import { fixtureBytesUsed } from '../../../core/test/support/block-fixture.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import { WaiterDriver } from '../../../core/test/support/waiter-driver.ts';
import { ONCE_IDLE } from '../../src/kernel/layout.ts';
import { ONCE } from '../../src/kinds.ts';

const ONCES = 2;
const STEPS = { enqueue: 'enqueueAtOnce', poll: 'pollManualEvent', cancel: 'cancelManualWait' };

export function onceBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, ONCES);
}

export class OnceDriver extends WaiterDriver {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, attempts: bigint) {
    const fill = (to: Twins, line: number): void => {
      to.put64(line + L.TICKET, 0n);
      to.put64(line + L.GRANT, BigInt.asIntN(64, attempts << 32n));
    };
    super(
      twins,
      random,
      coverage,
      heap,
      Array.from({ length: ONCES }, () => ({ kind: ONCE.code, lines: [{ flags: L.FLAG_GATE, noted: true, fill }] })),
      STEPS,
    );
  }

  protected override act(agent: number, line: number): void {
    const office = this.office(line);
    const [tag, record, entry, once] = [this.tag(office), this.at(agent), this.entryAt(agent, line), office.block];
    const kind = this.random.below(100);
    if (kind < 15) this.call('claimOnce', once, tag, record, entry);
    // Few attempts succeed, because nothing happens at a completed once.
    else if (kind < 30)
      this.walks(agent, this.call('endOnce', once, tag, record, entry, this.random.chance(20) ? 1 : 0));
    else if (kind < 32) this.#close(agent, once, tag);
    else if (kind < 58) this.visit(agent, line, tag, () => [this.random.chance(50) ? 1 : 0]);
    else if (kind < 94) this.goOn(agent);
    else if (kind < 98) this.recover(agent, line, () => void this.call('restoreOnce', record, entry));
    else if (this.twins.words.load32(once + L.GRANT) < ONCE_IDLE || this.random.chance(10)) this.retire(agent, line);
  }

  #close(agent: number, once: number, tag: number): void {
    if (this.call('closeOnce', once, tag, this.at(agent), this.random.chance(30) ? 1 : 0) === TAKEN)
      this.walking[agent] = true;
  }
}
