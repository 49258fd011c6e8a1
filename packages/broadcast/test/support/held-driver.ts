// Random steps at a broadcast with overflow 'wait': agents publish if there is room, take, move and free marks, wait
// for room, close, die and are recovered.

import type { Random } from '@sluice/harness';
import * as L from '../../../core/src/kernel/layout.ts';
import { AGAIN } from '../../../core/src/kernel/states.ts';
import { fixtureBytesUsed } from '../../../core/test/support/block-fixture.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import { WaiterDriver } from '../../../core/test/support/waiter-driver.ts';
import {
  ENTERING,
  FIRST_MARK,
  INDEX_AT,
  INDEX_STRIDE,
  MARK_AT,
  MARK_COUNT,
  MARK_OWNER,
  MARK_SHIFT,
  MARKS,
  READ_WORD,
  RING_MASK,
  SEEN_LIMIT,
  SEEN_SUBSCRIBED,
  SPARES,
  SPARES_AT,
  HEAD_LINE_BEFORE,
} from '../../src/kernel/layout.ts';
import { BROADCAST } from '../../src/kinds.ts';

const CAPACITY = 2;
const MARKS_AT = 384;
const COUNT = 2;
const BEHIND = MARKS_AT + FIRST_MARK + (COUNT << MARK_SHIFT) - L.BLOCK_LINE;
const LINES = 3;
/** The line of the stream, among those of a block. */
const STREAM = 2;
const STEPS = { enqueue: 'enqueueForBroadcastRoom', poll: 'pollBroadcast', cancel: 'cancelBroadcastWait' };

export function heldBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, LINES) + L.BLOCK_LINE * LINES + BEHIND;
}

export class HeldDriver extends WaiterDriver {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, word: bigint) {
    const start = BigInt.asIntN(64, word);
    const fillStream = (to: Twins, line: number): void => {
      to.put64(line + L.TICKET, 0n);
      to.put64(line + L.GRANT, start);
      to.put32(line + L.BLOCK_KIND, BROADCAST.code);
      to.put32(line + RING_MASK, CAPACITY - 1);
      to.put32(line + MARKS, MARKS_AT);
      to.put32(line + MARK_COUNT, COUNT);
      for (let back = 1n; back <= CAPACITY; back++) {
        const position = BigInt.asIntN(32, (start >> 1n) - back);
        const entry = Number(BigInt.asUintN(1, position));
        to.put32(line + INDEX_AT + entry * INDEX_STRIDE, entry);
        to.put32(line + INDEX_AT + entry * INDEX_STRIDE + 4, Number(position));
      }
      for (let place = 0; place < SPARES; place++) to.put32(line + SPARES_AT + 4 * place, 1 + CAPACITY + place);
      for (let n = 0; n < COUNT; n++) to.put32(line + MARKS_AT + FIRST_MARK + (n << MARK_SHIFT) + MARK_AT, ENTERING);
    };
    const fillHeadLine = (to: Twins, line: number): void => {
      to.put32(line + L.BLOCK_KIND, L.KIND_SEMAPHORE);
      to.put64(line + L.GRANT, 1n);
    };
    const lines = [
      { flags: L.FLAG_COUNTS_WAITS, noted: true },
      { flags: L.FLAG_RECOVERY, noted: true, fill: fillHeadLine },
      { flags: L.FLAG_COUNTS_WAITS | L.FLAG_LAST, noted: true, fill: fillStream },
    ] as const;
    super(twins, random, coverage, heap, [{ kind: BROADCAST.code, lines, behind: BEHIND }], STEPS);
  }

  protected override act(agent: number, room: number): void {
    const stream = this.line(STREAM);
    const tag = this.tag(this.office(room));
    const entry = this.entry(agent, STREAM);
    this.twins.put32(entry + L.ENTRY_LINE, stream);
    this.twins.put32(entry + L.ENTRY_TAG, this.office(room).tag);
    const kind = this.random.below(100);
    if (kind < 30) this.#publish(agent, stream, tag, entry);
    else if (kind < 50) this.#read(agent, stream, tag, entry);
    else if (kind < 66) this.#waitForRoom(agent, room, stream, tag);
    else if (kind < 92) this.goOn(agent);
    // The line has a head, or not.
    else if (kind < 94) this.twins.put64(stream - HEAD_LINE_BEFORE + L.TICKET, BigInt(this.random.below(2)));
    else if (kind < 97) this.recover(agent, room, () => this.#restore(agent, entry));
    else if (kind < 98) {
      if (this.random.chance(30)) this.retire(agent, 0);
    } else if (this.random.chance(15)) this.walks(agent, this.call('closeHeldBroadcast', stream, tag, this.at(agent)));
  }

  /** The result of the last scan, or another value. */
  #limits(agent: number): number[] {
    const seen = this.at(agent) + L.AGENT_SCRATCH;
    const words = [SEEN_SUBSCRIBED, SEEN_SUBSCRIBED + 4, SEEN_LIMIT, SEEN_LIMIT + 4].map((word) =>
      this.twins.words.get32(seen + word),
    );
    return this.random.chance(95) ? words : [0, 0, 0, 0];
  }

  #publish(agent: number, stream: number, tag: number, entry: number): void {
    const marks = stream + MARKS_AT;
    if (this.random.chance(40)) {
      this.call('beginBroadcastScan', stream, this.at(agent), marks);
      for (let n = 0; n < COUNT; n++) this.call('scanBroadcastMark', this.at(agent), marks, n);
      this.call('endBroadcastScan', stream, this.at(agent));
    }
    const isHead = this.random.below(2);
    this.call('seekBroadcastRoom', stream, tag, marks, isHead, ...this.#limits(agent));
    if (this.twins.words.get32(entry + L.ENTRY_HELD) === 0)
      this.call('claimBroadcastSlot', stream, tag, entry, this.random.below(SPARES));
    if (this.twins.words.get32(entry + L.ENTRY_HELD) === 0) return;
    this.walks(
      agent,
      this.call('publishHeldBroadcast', stream, tag, this.at(agent), entry, marks, isHead, ...this.#limits(agent)),
    );
  }

  /** Takes a mark, or reads, moves or frees a mark that the agent has. */
  #read(agent: number, stream: number, tag: number, entry: number): void {
    const n = this.random.below(COUNT);
    const mark = stream + MARKS_AT + FIRST_MARK + (n << MARK_SHIFT);
    const { words } = this.twins;
    if (words.get32(mark + MARK_OWNER) !== agent + 1) {
      this.walks(agent, this.call('takeBroadcastMark', stream, tag, this.at(agent), entry, n, this.random.below(2)));
    } else if (this.random.chance(20)) {
      this.walks(agent, this.call('freeBroadcastMark', stream, tag, this.at(agent), entry, n));
    } else {
      const at = [words.get32(mark + MARK_AT), words.get32(mark + MARK_AT + 4)] as const;
      if (this.call('beginBroadcastRead', stream, tag, entry, ...at) < 0) return;
      this.walks(
        agent,
        this.call('passBroadcastMark', stream, tag, this.at(agent), entry, stream + MARKS_AT, n, ...at),
      );
      if (words.get32(entry + READ_WORD) % 2 !== 0) this.twins.fail('a position is odd');
    }
  }

  #waitForRoom(agent: number, room: number, stream: number, tag: number): void {
    const element = this.element(agent);
    if (element === undefined) return;
    this.twins.put32(this.at(agent) + L.AGENT_SPARE, element.at);
    const drawn = this.call(
      'enqueueForBroadcastRoom',
      stream,
      tag,
      this.at(agent),
      stream + MARKS_AT,
      this.random.chance(80) ? 1 : 0,
      this.random.below(COUNT),
    );
    if (drawn > 0) this.beginWait(element, room);
  }

  #restore(agent: number, entry: number): void {
    let n = 0;
    while (this.call('freeDeadBroadcastMark', this.at(agent), entry, n) === AGAIN) n += 1;
    this.call('restoreBroadcastSlot', this.at(agent), entry);
  }
}
