// Random steps at onces: agents that begin and end attempts, close, wait, cancel, die and are recovered. While one is within a walk the others go on.

import type { Random } from '@sluice/harness';
import * as L from '../../../core/src/kernel/layout.ts';
import { CANCELLED, CANCELLED_LEFT_BEHIND, LINKED, NEEDS_WALK, QUEUED, TAKEN } from '../../../core/src/kernel/states.ts';
import { BlockGround, groundBytesUsed } from '../../../core/test/support/block-ground.ts';
import { AGENTS, type Element } from '../../../core/test/support/kernel-players.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import { ONCE_IDLE } from '../../src/kernel/layout.ts';
import { ONCE } from '../../src/kinds.ts';

const ONCES = 2;

export function onceBytesUsed(heap: number): number {
  return groundBytesUsed(heap, ONCES);
}

export class OnceDriver extends BlockGround {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, attempts: bigint) {
    const fill = (to: Twins, line: number): void => {
      to.put64(line + L.TICKET, 0n);
      to.put64(line + L.GRANT, BigInt.asIntN(64, attempts << 32n));
    };
    super(twins, random, coverage, heap, 0n, Array.from({ length: ONCES }, () => ({ kind: ONCE.code, lines: [{ flags: L.FLAG_GATE, noted: true, fill }] })));
  }

  /** One random step of one random agent. */
  step(): void {
    const agent = this.random.below(AGENTS);
    if (this.walking[agent] === true) {
      this.walkOn(agent);
      return;
    }
    const line = this.random.below(ONCES);
    const office = this.office(line);
    if (office.retired) {
      this.#replace(agent, line);
      return;
    }
    const [tag, record, entry, once] = [this.tag(office), this.at(agent), this.entry(agent, line), office.block];
    this.twins.put32(entry + L.ENTRY_SEM, once);
    this.twins.put32(entry + L.ENTRY_TAG, office.tag);
    const kind = this.random.below(100);
    if (kind < 15) this.call('claimOnce', once, tag, record, entry);
    // Few attempts succeed: nothing happens at a once that is done.
    else if (kind < 30) this.#walks(agent, this.call('endOnce', once, tag, record, entry, this.random.chance(20) ? 1 : 0));
    else if (kind < 32) this.#close(agent, once, tag);
    else if (kind < 58) this.#visit(agent, line, once, tag);
    else if (kind < 94) this.#goOn(agent);
    else if (kind < 98) this.#recover(agent, line, entry);
    else if (this.twins.words.load32(once + L.GRANT) < ONCE_IDLE || this.random.chance(10)) this.retire(agent, line);
  }

  #walks(agent: number, result: number): void {
    if (result === NEEDS_WALK) this.walking[agent] = true;
  }

  #close(agent: number, once: number, tag: number): void {
    if (this.call('closeOnce', once, tag, this.at(agent), this.random.chance(30) ? 1 : 0) === TAKEN) this.walking[agent] = true;
  }

  #visit(agent: number, line: number, once: number, tag: number): void {
    const element = this.element(agent);
    if (element === undefined) return;
    this.twins.put32(this.at(agent) + L.AGENT_SPARE, element.at);
    if (this.call('enqueueAtOnce', once, tag, this.at(agent), this.random.chance(80) ? 1 : 0, this.random.chance(50) ? 1 : 0) > 0) this.beginWait(element, line);
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
    } else if (chance < 8) this.settle(element, this.call('pollManualEvent', element.at, 0));
    else this.#cancel(agent, element);
  }

  #cancel(agent: number, element: Element): void {
    const left = this.call('cancelManualWait', this.at(agent), element.at, 0);
    if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND) this.walking[agent] = true;
    this.settle(element, left);
  }

  /** What recovery does with waits and attempts, while the agent lives on. */
  #recover(agent: number, line: number, entry: number): void {
    for (const element of this.waits(agent)) {
      if (element.sem !== line) continue;
      this.#cancel(agent, element);
      this.#finishWalk(agent);
    }
    this.call('restoreOnce', this.at(agent), entry);
    this.#finishWalk(agent);
  }

  #finishWalk(agent: number): void {
    do this.walkOn(agent);
    while (this.walking[agent] === true);
  }

  /** Puts another once in the place of a freed one, once no agent waits there. */
  #replace(agent: number, line: number): void {
    const waiter = this.elements.find(({ sem, waiting, owner }) => sem === line && waiting && owner !== undefined);
    if (waiter === undefined && !this.walking.includes(true)) {
      this.pushFreeBlock(agent, this.office(line).block);
      this.renew(agent, line);
    } else if (waiter?.owner === agent) {
      if (this.random.chance(50)) this.settle(waiter, this.call('pollManualEvent', waiter.at, 0));
      else this.#cancel(agent, waiter);
    } else this.walking[agent] = true;
  }
}
