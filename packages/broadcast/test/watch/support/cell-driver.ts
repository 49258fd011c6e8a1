// Random steps at watch cells: agents set and read values, wait, cancel, die and are recovered.

import type { Random } from '@sluice/harness';
import * as L from '../../../../core/src/kernel/layout.ts';
import { fixtureBytesUsed } from '../../../../core/test/support/block-fixture.ts';
import type { Twins } from '../../../../core/test/support/twins.ts';
import { WaiterDriver } from '../../../../core/test/support/waiter-driver.ts';
import { FREE_SLOTS, READ_WORD, SLOT_MASK, SLOT_STRIDE, SLOTS } from '../../../src/watch/kernel/layout.ts';
import { WATCH_CELL } from '../../../src/watch/kinds.ts';

const CELLS = 2;
const STRIDE = 32;
const STEPS = { enqueue: 'enqueueAtWatch', poll: 'pollWatch', cancel: 'cancelWatchWait' };

export function cellBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, CELLS) + CELLS * 1024;
}

export class CellDriver extends WaiterDriver {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, word: bigint) {
    const fill = (to: Twins, line: number): void => {
      to.put64(line + L.TICKET, 0n);
      to.put64(line + L.GRANT, BigInt.asIntN(64, word));
      to.put32(line + SLOT_STRIDE, STRIDE);
      to.put32(line + FREE_SLOTS, 2 ** SLOTS - 2);
    };
    const lines = [{ flags: L.FLAG_COUNTS_WAITS | L.FLAG_LAST, noted: true, fill }] as const;
    super(
      twins,
      random,
      coverage,
      heap,
      Array.from({ length: CELLS }, () => ({ kind: WATCH_CELL.code, lines, behind: SLOTS * STRIDE })),
      STEPS,
    );
  }

  protected override act(agent: number, line: number): void {
    const office = this.office(line);
    const [tag, entry, cell] = [this.tag(office), this.entryAt(agent, line), office.block];
    const kind = this.random.below(100);
    if (kind < 26) this.#write(agent, line, tag);
    else if (kind < 36) this.#read(cell, tag, entry);
    else if (kind < 62) this.visit(agent, line, tag, () => this.#seen(cell, entry));
    else if (kind < 95) this.goOn(agent);
    else if (kind < 96) this.call('closeWatch', cell, this.office(line).tag + 1000, this.at(agent));
    else if (kind < 99) this.recover(agent, line, () => void this.call('restoreWatchSlot', this.at(agent), entry));
    else if (this.random.chance(20)) this.retire(agent, line);
    else if (this.random.chance(25)) this.walks(agent, this.call('closeWatch', cell, tag, this.at(agent)));
  }

  /** Takes a slot, or publishes the one that the agent has. */
  #write(agent: number, line: number, tag: number): void {
    const [cell, entry] = [this.office(line).block, this.entry(agent, line)];
    const held = Number(this.twins.words.get64(entry + L.ENTRY_HELD));
    if (held === 0) this.call('claimWatchSlot', cell, tag, entry, this.random.below(SLOTS));
    else this.walks(agent, this.call('publishWatchSlot', cell, tag, this.at(agent), entry, held - 1));
  }

  #read(cell: number, tag: number, entry: number): void {
    if (this.call('beginWatchRead', cell, tag, entry) < 0) return;
    this.call('confirmWatchRead', cell, this.twins.words.get32(entry + READ_WORD) & SLOT_MASK);
  }

  /** Returns the current word, or sometimes the word of the agent's last read. */
  #seen(cell: number, entry: number): number[] {
    const seen = this.random.chance(80) ? cell + L.GRANT : entry + READ_WORD;
    return [this.twins.words.get32(seen), this.twins.words.get32(seen + 4)];
  }
}
