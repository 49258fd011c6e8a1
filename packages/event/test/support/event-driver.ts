// Random steps at manual-reset events: agents that set, reset, wait, cancel, die and are recovered. While one is within a walk the others go on.

import type { Random } from '@sluice/harness';
import * as L from '../../../core/src/kernel/layout.ts';
import { CANCELLED, CANCELLED_LEFT_BEHIND, LINKED, NEEDS_WALK, QUEUED } from '../../../core/src/kernel/states.ts';
import { BlockGround, groundBytesUsed } from '../../../core/test/support/block-ground.ts';
import { AGENTS, type Element } from '../../../core/test/support/kernel-players.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import { MANUAL_EVENT } from '../../src/kinds.ts';

const EVENTS = 2;

export function eventBytesUsed(heap: number): number {
  return groundBytesUsed(heap, EVENTS);
}

export class EventDriver extends BlockGround {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, word: bigint) {
    const fill = (to: Twins, line: number): void => {
      to.put64(line + L.TICKET, 0n);
      to.put64(line + L.GRANT, BigInt.asIntN(64, word));
    };
    super(twins, random, coverage, heap, 0n, Array.from({ length: EVENTS }, () => ({ kind: MANUAL_EVENT.code, lines: [{ flags: 0, noted: true, fill }] })));
  }

  /** One random step of one random agent. */
  step(): void {
    const agent = this.random.below(AGENTS);
    if (this.walking[agent] === true) {
      this.walkOn(agent);
      return;
    }
    const line = this.random.below(EVENTS);
    const office = this.office(line);
    if (office.retired) {
      this.#replace(agent, line);
      return;
    }
    const [tag, record, event] = [this.tag(office), this.at(agent), office.block];
    const kind = this.random.below(100);
    if (kind < 14) this.#walks(agent, this.call('setManualEvent', event, tag, record));
    else if (kind < 30) this.call('resetManualEvent', event, tag);
    else if (kind < 60) this.#visit(agent, line, event, tag);
    else if (kind < 96) this.#goOn(agent);
    else if (kind < 99) this.#recover(agent, line);
    else if (this.random.chance(20)) this.retire(agent, line);
  }

  #walks(agent: number, result: number): void {
    if (result === NEEDS_WALK) this.walking[agent] = true;
  }

  #visit(agent: number, line: number, event: number, tag: number): void {
    const element = this.element(agent);
    if (element === undefined) return;
    this.twins.put32(this.at(agent) + L.AGENT_SPARE, element.at);
    if (this.call('enqueueAtManualEvent', event, tag, this.at(agent), this.random.chance(80) ? 1 : 0) > 0) this.beginWait(element, line);
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

  /** What recovery does with waits, while the agent lives on. */
  #recover(agent: number, line: number): void {
    for (const element of this.waits(agent)) {
      if (element.sem !== line) continue;
      this.#cancel(agent, element);
      this.#finishWalk(agent);
    }
  }

  #finishWalk(agent: number): void {
    do this.walkOn(agent);
    while (this.walking[agent] === true);
  }

  /** Puts another event in the place of a freed one, once no agent waits there. */
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
