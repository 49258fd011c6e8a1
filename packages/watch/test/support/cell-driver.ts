// Random steps at watch cells: agents that set and read values, wait, cancel, die and are recovered. While one is within a walk the others go on.

import type { Random } from '@sluice/harness';
import * as L from '../../../core/src/kernel/layout.ts';
import { CANCELLED, CANCELLED_LEFT_BEHIND, LINKED, NEEDS_WALK, QUEUED } from '../../../core/src/kernel/states.ts';
import { BlockGround, groundBytesUsed } from '../../../core/test/support/block-ground.ts';
import { AGENTS, type Element } from '../../../core/test/support/kernel-players.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import { FREE_SLOTS, READ_WORD, SLOT_MASK, SLOT_STRIDE, SLOTS } from '../../src/kernel/layout.ts';
import { WATCH_CELL } from '../../src/kinds.ts';

const CELLS = 2;
const STRIDE = 32;

export function cellBytesUsed(heap: number): number {
  return groundBytesUsed(heap, CELLS) + CELLS * 1024;
}

export class CellDriver extends BlockGround {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, word: bigint) {
    const fill = (to: Twins, line: number): void => {
      to.put64(line + L.TICKET, 0n);
      to.put64(line + L.GRANT, BigInt.asIntN(64, word));
      to.put32(line + SLOT_STRIDE, STRIDE);
      to.put32(line + FREE_SLOTS, 2 ** SLOTS - 2);
    };
    const lines = [{ flags: L.FLAG_COUNTS_WAITS | L.FLAG_LAST, noted: true, fill }] as const;
    super(twins, random, coverage, heap, 0n, Array.from({ length: CELLS }, () => ({ kind: WATCH_CELL.code, lines, behind: SLOTS * STRIDE })));
  }

  /** One random step of one random agent. */
  step(): void {
    const agent = this.random.below(AGENTS);
    if (this.walking[agent] === true) {
      this.walkOn(agent);
      return;
    }
    const line = this.random.below(CELLS);
    const office = this.office(line);
    if (office.retired) {
      this.#replace(agent, line);
      return;
    }
    const [tag, entry, cell] = [this.tag(office), this.entry(agent, line), office.block];
    this.twins.put32(entry + L.ENTRY_SEM, cell);
    this.twins.put32(entry + L.ENTRY_TAG, office.tag);
    const kind = this.random.below(100);
    if (kind < 26) this.#write(agent, line, tag);
    else if (kind < 36) this.#read(cell, tag, entry);
    else if (kind < 62) this.#visit(agent, line, cell, tag);
    else if (kind < 96) this.#goOn(agent);
    else if (kind < 99) this.#recover(agent, line);
    else if (this.random.chance(20)) this.retire(agent, line);
  }

  /** Takes a slot, or publishes the one that the agent has. */
  #write(agent: number, line: number, tag: number): void {
    const [cell, entry] = [this.office(line).block, this.entry(agent, line)];
    const held = Number(this.twins.words.get64(entry + L.ENTRY_HELD));
    if (held === 0) this.call('claimWatchSlot', cell, tag, entry, this.random.below(SLOTS));
    else this.#walks(agent, this.call('publishWatchSlot', cell, tag, this.at(agent), entry, held - 1));
  }

  #read(cell: number, tag: number, entry: number): void {
    if (this.call('beginWatchRead', cell, tag, entry) < 0) return;
    this.call('confirmWatchRead', cell, this.twins.words.get32(entry + READ_WORD) & SLOT_MASK);
  }

  #walks(agent: number, result: number): void {
    if (result === NEEDS_WALK) this.walking[agent] = true;
  }

  #visit(agent: number, line: number, cell: number, tag: number): void {
    const element = this.element(agent);
    if (element === undefined) return;
    this.twins.put32(this.at(agent) + L.AGENT_SPARE, element.at);
    // Mostly with the word that is there, else with that of the agent's last read.
    const seen = this.random.chance(80) ? cell + L.GRANT : this.entry(agent, line) + READ_WORD;
    const [low, high] = [this.twins.words.get32(seen), this.twins.words.get32(seen + 4)];
    if (this.call('enqueueAtWatch', cell, tag, this.at(agent), this.random.chance(80) ? 1 : 0, low, high) > 0) this.beginWait(element, line);
  }

  /** A waiter does the next thing: link, park, poll or cancel. */
  #goOn(agent: number): void {
    const own = this.waits(agent);
    if (own.length === 0) return;
    const element = this.random.pick(own);
    const chance = this.random.below(10);
    const isQueued = this.gate(element) === QUEUED;
    if (isQueued && chance < 3) {
      if (this.call('link', this.at(agent), element.at) === LINKED) this.walking[agent] = true;
    } else if (chance < (isQueued ? 5 : 3)) {
      if (this.call('park', element.at, this.at(agent)) === NEEDS_WALK) this.walking[agent] = true;
    } else if (chance < 8) this.settle(element, this.call('pollWatch', element.at, 0));
    else this.#cancel(agent, element);
  }

  #cancel(agent: number, element: Element): void {
    const left = this.call('cancelWatchWait', this.at(agent), element.at, 0);
    if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND) this.walking[agent] = true;
    this.settle(element, left);
  }

  /** What recovery does with waits, while the agent lives on. */
  #recover(agent: number, line: number): void {
    for (const element of this.waits(agent)) {
      if (element.sem !== line) continue;
      this.#cancel(agent, element);
      this.#finishWalk(agent);
    }
    this.call('restoreWatchSlot', this.at(agent), this.entry(agent, line));
  }

  #finishWalk(agent: number): void {
    do this.walkOn(agent);
    while (this.walking[agent] === true);
  }

  /** Puts another cell in the place of a freed one, once no agent waits there. */
  #replace(agent: number, line: number): void {
    const waiter = this.elements.find(({ sem, waiting, owner }) => sem === line && waiting && owner !== undefined);
    if (waiter === undefined && !this.walking.includes(true)) {
      this.pushFreeBlock(agent, this.office(line).block);
      this.renew(agent, line);
    } else if (waiter?.owner === agent) {
      if (this.random.chance(50)) this.settle(waiter, this.call('pollWatch', waiter.at, 0));
      else this.#cancel(agent, waiter);
    } else this.walking[agent] = true;
  }
}
