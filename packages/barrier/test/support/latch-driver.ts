// Random steps at countdown latches: agents that add, claim, count down, wait, cancel, die and are recovered. While one is within a
// walk the others go on.

import type { Random } from '@sluice/harness';
import * as L from '../../../core/src/kernel/layout.ts';
import { CANCELLED, CANCELLED_LEFT_BEHIND, LINKED, NEEDS_WALK, QUEUED, RACED } from '../../../core/src/kernel/states.ts';
import { BlockGround, groundBytesUsed } from '../../../core/test/support/block-ground.ts';
import { AGENTS, type Element } from '../../../core/test/support/kernel-players.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import { LATCH } from '../../src/kinds.ts';
import { asEntry } from '../../../core/src/kernel/addresses.ts';

const LATCHES = 2;

export function latchBytesUsed(heap: number): number {
  return groundBytesUsed(heap, LATCHES);
}

export class LatchDriver extends BlockGround {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, rounds: bigint) {
    const fill = (to: Twins, line: number): void => {
      to.put64(line + L.TICKET, 0n);
      to.put64(line + L.GRANT, BigInt.asIntN(64, rounds << 32n));
    };
    super(twins, random, coverage, heap, 0n, Array.from({ length: LATCHES }, () => ({ kind: LATCH.code, lines: [{ flags: 0, noted: true, fill }] })));
  }

  /** One random step of one random agent. */
  step(): void {
    const agent = this.random.below(AGENTS);
    if (this.walking[agent] === true) {
      this.walkOn(agent);
      return;
    }
    const line = this.random.below(LATCHES);
    const office = this.office(line);
    if (office.retired) {
      this.#replace(agent, line);
      return;
    }
    const [tag, record, entry, latch] = [this.tag(office), this.at(agent), this.entry(agent, line), office.block];
    this.twins.put32(entry + L.ENTRY_SEM, latch);
    this.twins.put32(entry + L.ENTRY_TAG, office.tag);
    const kind = this.random.below(100);
    const n = this.random.chance(90) ? this.random.between(1, 3) : 0x7fffffff;
    if (kind < 12) this.#outcome('addToLatch', latch, tag, n);
    else if (kind < 24) this.#outcome('claimAtLatch', latch, tag, entry, n);
    else if (kind < 44) this.#walks(agent, this.#outcome('countDown', latch, tag, record, entry, n));
    else if (kind < 62) this.#visit(agent, line, latch, tag);
    else if (kind < 95) this.#goOn(agent);
    else if (kind < 98) this.#recover(agent, line, asEntry(entry));
    else if (kind === 98) this.#empty(agent, line);
    else if (this.random.chance(20)) this.retire(agent, line);
  }

  /** A step whose results are all small numbers. */
  #outcome(step: string, ...args: number[]): number {
    return this.call(step, ...args);
  }

  #walks(agent: number, result: number): void {
    if (result === NEEDS_WALK) this.walking[agent] = true;
  }

  #visit(agent: number, line: number, latch: number, tag: number): void {
    const element = this.element(agent);
    if (element === undefined) return;
    this.twins.put32(this.at(agent) + L.AGENT_SPARE, element.at);
    if (this.call('enqueueAtLatch', latch, tag, this.at(agent), this.random.chance(80) ? 1 : 0) > 0) this.beginWait(element, line);
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
    } else if (chance < 8) this.settle(element, this.call('pollLatch', element.at, 0));
    else this.#cancel(agent, element);
  }

  #cancel(agent: number, element: Element): void {
    const left = this.call('cancelLatchWait', this.at(agent), element.at, 0);
    if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND) this.walking[agent] = true;
    this.settle(element, left);
  }

  /** What recovery does with waits and claims, while the agent lives on. */
  #recover(agent: number, line: number, entry: number): void {
    for (const element of this.waits(agent)) {
      if (element.sem !== line) continue;
      this.#cancel(agent, element);
      this.#finishWalk(agent);
    }
    const restored = this.call('restoreClaims', this.at(agent), entry);
    if (restored === RACED) this.twins.fail('restoreClaims lost a race against no agent');
    this.#finishWalk(agent);
  }

  /** Ends the round. */
  #empty(agent: number, line: number): void {
    const { block, tag } = this.office(line);
    const count = 0 - this.twins.words.load32(block + L.GRANT);
    if (count > 0) this.#walks(agent, this.call('countDown', block, tag, this.at(agent), this.entry(agent, line), count));
  }

  #finishWalk(agent: number): void {
    do this.walkOn(agent);
    while (this.walking[agent] === true);
  }

  /** Puts another latch in the place of a freed one, once no agent waits there. */
  #replace(agent: number, line: number): void {
    const waiter = this.elements.find(({ sem, waiting, owner }) => sem === line && waiting && owner !== undefined);
    if (waiter === undefined && !this.walking.includes(true)) {
      this.pushFreeBlock(agent, this.office(line).block);
      this.renew(agent, line);
    } else if (waiter?.owner === agent) {
      if (this.random.chance(50)) this.settle(waiter, this.call('pollLatch', waiter.at, 0));
      else this.#cancel(agent, waiter);
    } else this.walking[agent] = true;
  }
}
