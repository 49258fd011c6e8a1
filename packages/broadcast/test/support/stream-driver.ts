// Random steps at broadcasts: agents publish and read values, wait, cancel, close, die and are recovered.

import type { Random } from '@sluice/harness';
import * as L from '../../../core/src/kernel/layout.ts';
import { fixtureBytesUsed } from '../../../core/test/support/block-fixture.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import { WaiterDriver } from '../../../core/test/support/waiter-driver.ts';
import { INDEX_AT, INDEX_STRIDE, READ_WORD, RING_MASK, SPARES, SPARES_AT } from '../../src/kernel/layout.ts';
import { BROADCAST } from '../../src/kinds.ts';

const STREAMS = 2;
const CAPACITY = 4;
const BEHIND = INDEX_AT - L.BLOCK_LINE + CAPACITY * INDEX_STRIDE + 32;
const STEPS = { enqueue: 'enqueueAtBroadcast', poll: 'pollBroadcast', cancel: 'cancelBroadcastWait' };

export function streamBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, STREAMS) + STREAMS * 512;
}

export class StreamDriver extends WaiterDriver {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, word: bigint) {
    const fill = (to: Twins, line: number): void => {
      const start = BigInt.asIntN(64, word);
      to.put64(line + L.TICKET, 0n);
      to.put64(line + L.GRANT, start);
      to.put32(line + RING_MASK, CAPACITY - 1);
      for (let back = 1n; back <= CAPACITY; back++) {
        const position = BigInt.asIntN(32, (start >> 1n) - back);
        const entry = Number(BigInt.asUintN(2, position));
        to.put32(line + INDEX_AT + entry * INDEX_STRIDE, entry);
        to.put32(line + INDEX_AT + entry * INDEX_STRIDE + 4, Number(position));
      }
      for (let place = 0; place < SPARES; place++) to.put32(line + SPARES_AT + 4 * place, 1 + CAPACITY + place);
    };
    const lines = [{ flags: L.FLAG_COUNTS_WAITS | L.FLAG_LAST, noted: true, fill }] as const;
    super(
      twins,
      random,
      coverage,
      heap,
      Array.from({ length: STREAMS }, () => ({ kind: BROADCAST.code, lines, behind: BEHIND })),
      STEPS,
    );
  }

  protected override act(agent: number, line: number): void {
    const { block: stream } = this.office(line);
    const tag = this.tag(this.office(line));
    const entry = this.entryAt(agent, line);
    const kind = this.random.below(100);
    if (kind < 26) this.#publish(agent, stream, tag, entry);
    else if (kind < 44) this.#read(stream, tag, entry);
    else if (kind < 66) this.visit(agent, line, tag, () => this.#seen(stream, entry));
    else if (kind < 95) this.goOn(agent);
    else if (kind < 96) this.call('closeBroadcast', stream, this.office(line).tag + 1000, this.at(agent));
    else if (kind < 99) this.recover(agent, line, () => void this.call('restoreBroadcastSlot', this.at(agent), entry));
    else if (this.random.chance(20)) this.retire(agent, line);
    else if (this.random.chance(25)) this.walks(agent, this.call('closeBroadcast', stream, tag, this.at(agent)));
  }

  /** Takes a slot, or publishes the one that the agent has. */
  #publish(agent: number, stream: number, tag: number, entry: number): void {
    const held = this.twins.words.get64(entry + L.ENTRY_HELD);
    if (held === 0n) this.call('claimBroadcastSlot', stream, tag, entry, this.random.below(SPARES));
    else this.walks(agent, this.call('publishBroadcast', stream, tag, this.at(agent), entry));
  }

  /** From the position that the agent's last step left, or from another position. */
  #read(stream: number, tag: number, entry: number): void {
    if (this.random.chance(30)) this.call('startBroadcast', stream, tag, entry, this.random.below(2));
    const at = [this.twins.words.get32(entry + READ_WORD) & ~1, this.twins.words.get32(entry + READ_WORD + 4)] as const;
    const slot = this.call('beginBroadcastRead', stream, tag, entry, ...at);
    if (slot < 0) return;
    this.call('confirmBroadcastRead', stream, tag, entry, ...at, this.random.chance(90) ? slot : slot + 1);
  }

  /** Returns the current word, or sometimes the word of the agent's last read. */
  #seen(stream: number, entry: number): number[] {
    const seen = this.random.chance(80) ? stream + L.GRANT : entry + READ_WORD;
    return [this.twins.words.get32(seen), this.twins.words.get32(seen + 4)];
  }
}
