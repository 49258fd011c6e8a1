// Random steps at barriers: agents arrive, sleep on the sleep word, run actions, join, leave, cancel, reset, die and
// are recovered. While one agent is within a walk, the others continue.

import type { Random } from '@sluice/harness';
import { asEntry } from '../../../core/src/kernel/addresses.ts';
import * as L from '../../../core/src/kernel/layout.ts';
import {
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  LINKED,
  NEEDS_WALK,
  QUEUED,
  RACED,
  TAKEN,
} from '../../../core/src/kernel/states.ts';
import { BlockFixture, fixtureBytesUsed } from '../../../core/test/support/block-fixture.ts';
import { AGENTS, type Element } from '../../../core/test/support/kernel-players.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import { ACTING_IN, MAX_PARTIES, PARTIES_AT, RESETS } from '../../src/kernel/layout.ts';
import { ABORTED, AWAKE, HAS_LIMIT, RESET } from '../../src/kernel/outcomes.ts';
import { BARRIER } from '../../src/kinds.ts';

const BARRIERS = 2;
const PARTIES = 3;
/** Values of SLEEP_WORD a few wake-ups before it wraps. */
const LAST_WAKES = 0x7ffffff0;
/** Steps that return a value of SLEEP_WORD or of OUTCOME. */
const WORDS = new Map([
  ['arriveAtBarrierToSleep', 'asleep'],
  ['prepareSleepAtBarrier', 'asleep'],
  ['wakeAtBarrier', 'over'],
  ['wakeBarrierSleepers', 'notify'],
]);

export function barrierBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, BARRIERS);
}

export class BarrierDriver extends BlockFixture {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, generations: bigint) {
    const fill = (to: Twins, line: number): void => {
      to.put64(line + L.TICKET, 0n);
      to.put64(line + L.GRANT, BigInt.asIntN(64, (generations << 32n) + BigInt(PARTIES << PARTIES_AT)));
      to.put64(line + RESETS, BigInt.asIntN(64, generations));
      to.put32(line + L.SLEEP_WORD, generations === 0n ? 0 : LAST_WAKES);
    };
    super(
      twins,
      random,
      coverage,
      heap,
      0n,
      Array.from({ length: BARRIERS }, () => ({
        kind: BARRIER.code,
        lines: [{ flags: L.FLAG_SLEEP_WORD, noted: true, fill }],
      })),
    );
  }

  /** Runs one random step of one random agent. */
  step(): void {
    const agent = this.random.below(AGENTS);
    if (this.walking[agent] === true) {
      this.walkOn(agent);
      return;
    }
    const line = this.random.below(BARRIERS);
    const office = this.office(line);
    if (office.retired) {
      this.#replace(agent, line);
      return;
    }
    const [tag, record, entry, barrier] = [this.tag(office), this.at(agent), this.entry(agent, line), office.block];
    this.twins.put32(entry + L.ENTRY_LINE, barrier);
    this.twins.put32(entry + L.ENTRY_TAG, office.tag);
    const n = this.random.chance(90) ? this.random.between(1, 2) : MAX_PARTIES;
    const acts = this.random.chance(30) ? 1 : 0;
    const kind = this.random.below(100);
    if (this.twins.words.get32(entry + ACTING_IN) !== 0 && kind < 60)
      this.#walks(agent, this.call('tripBarrier', barrier, tag, record, entry, this.random.chance(20) ? 1 : 0));
    else if (kind < 5) this.call('registerAtBarrier', barrier, tag, entry, n);
    else if (kind < 10) this.call('claimParties', barrier, tag, entry, n);
    else if (kind < 16) this.#walks(agent, this.call('leaveBarrier', barrier, tag, record, entry, n, acts));
    else if (kind < 19)
      this.#walks(agent, this.call('breakBarrier', barrier, tag, record, this.random.chance(30) ? ABORTED : RESET));
    else if (kind < 26) this.call('mendBarrier', barrier, tag);
    else if (kind < 46) this.#arrive(agent, line, barrier, tag, acts);
    else if (kind < 62) this.#arriveToSleep(agent, line, barrier, tag, acts);
    else if (kind < 95) this.#goOn(agent);
    else if (kind < 98) this.#recover(agent, line, asEntry(entry));
    else if (this.random.chance(10)) this.retire(agent, line);
  }

  #walks(agent: number, result: number): void {
    if (result === NEEDS_WALK) this.walking[agent] = true;
  }

  #arrive(agent: number, line: number, barrier: number, tag: number, acts: number): void {
    const element = this.element(agent);
    if (element === undefined) return;
    this.twins.put32(this.at(agent) + L.AGENT_SPARE, element.at);
    const arrived = this.call(
      'arriveAtBarrier',
      barrier,
      tag,
      this.at(agent),
      this.entry(agent, line),
      this.random.chance(80) ? 1 : 0,
      acts,
    );
    if (arrived > 0) this.beginWait(element, line);
    else this.#walksIfLeft(agent);
  }

  #arriveToSleep(agent: number, line: number, barrier: number, tag: number, acts: number): void {
    const element = this.element(agent);
    if (element === undefined) return;
    this.twins.put32(this.at(agent) + L.AGENT_SPARE, this.random.chance(95) ? element.at : 0);
    const near = this.random.chance(70) ? 0 : 1;
    const arrived = this.call(
      'arriveAtBarrierToSleep',
      barrier,
      tag,
      this.at(agent),
      this.entry(agent, line),
      acts | (this.random.chance(30) ? HAS_LIMIT : 0),
      near,
      this.random.chance(80) ? 0x7fff : 1,
      this.steps,
      this.#pending(),
    );
    if (arrived >= 0 || arrived === AWAKE) this.beginWait(element, line);
    else this.#walksIfLeft(agent);
  }

  /** Returns HEADER_PENDING, sometimes an outdated value. */
  #pending(): number {
    return this.twins.words.load32(L.HEADER_PENDING) + (this.random.chance(10) ? 1 : 0);
  }

  /** Runs after each step that may have ended a generation, whatever the step returned. */
  #walksIfLeft(agent: number): void {
    const { words } = this.twins;
    if (words.get32(this.at(agent) + L.AGENT_CHAIN) !== 0 || words.get32(this.at(agent) + L.AGENT_DUTY_KIND) !== 0)
      this.walking[agent] = true;
  }

  protected override walkKind(agent: number): boolean {
    if (this.twins.words.get32(this.at(agent) + L.AGENT_DUTY_KIND) === 0) return false;
    this.call('wakeBarrierSleepers', this.at(agent));
    return true;
  }

  protected override describe(step: string, result: number): string {
    const word = WORDS.get(step);
    return word !== undefined && result >= 0 ? word : super.describe(step, result);
  }

  /** A waiter on the sleep word checks: it sleeps on, or wakes up. */
  #goOnAtBell(agent: number, element: Element): void {
    if (this.random.chance(40)) {
      this.call('prepareSleepAtBarrier', element.at, this.#pending());
      return;
    }
    const woke = this.call('wakeAtBarrier', this.at(agent), this.entry(agent, element.sem), this.steps);
    this.settle(element, woke > 0 ? TAKEN : woke);
  }

  /** Runs the next step of a waiter: listen, wake up, link, park, poll or cancel. */
  #goOn(agent: number): void {
    const own = this.waits(agent);
    if (own.length === 0) return;
    const element = this.random.pick(own);
    const chance = this.random.below(20);
    const isQueued = this.gate(element) === QUEUED;
    const isAtBell = isQueued && this.twins.words.get32(this.at(agent) + L.AGENT_SCRATCH) === element.at;
    if (isAtBell && chance < 18) this.#goOnAtBell(agent, element);
    else if (isQueued && chance < 6) {
      if (this.call('link', this.at(agent), element.at) === LINKED) this.walking[agent] = true;
    } else if (chance < (isQueued ? 10 : 6)) {
      if (this.call('park', element.at, this.at(agent)) === NEEDS_WALK) this.walking[agent] = true;
    } else if (chance < 18) this.settle(element, this.call('pollBarrier', element.at, this.entry(agent, element.sem)));
    else this.#cancel(agent, element, 0);
  }

  #cancel(agent: number, element: Element, dead: 0 | 1): void {
    const args = [this.at(agent), element.at, this.entry(agent, element.sem), dead];
    const left = dead === 0 ? this.call('cancelBarrierWait', ...args) : this.callForDead('cancelBarrierWait', ...args);
    if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND) this.walking[agent] = true;
    this.#walksIfLeft(agent);
    if (left !== RACED) this.settle(element, left);
  }

  /** Runs the recovery's steps on waits and parties, although the agent is alive. */
  #recover(agent: number, line: number, entry: number): void {
    for (const element of this.waits(agent)) {
      if (element.sem !== line) continue;
      this.#cancel(agent, element, 1);
      this.#finishWalk(agent);
    }
    if (this.call('restoreParties', this.at(agent), entry) === RACED)
      this.twins.fail('restoreParties lost a race against no agent');
    this.twins.put32(entry + ACTING_IN, 0);
    this.#finishWalk(agent);
  }

  #finishWalk(agent: number): void {
    do this.walkOn(agent);
    while (this.walking[agent] === true);
  }

  /** Creates another barrier in the memory of a freed one, once no agent waits there. */
  #replace(agent: number, line: number): void {
    const waiter = this.elements.find(({ sem, waiting, owner }) => sem === line && waiting && owner !== undefined);
    if (waiter === undefined && !this.walking.includes(true)) {
      this.pushFreeBlock(agent, this.office(line).block);
      this.renew(agent, line);
      for (let owner = 0; owner < AGENTS; owner++) this.twins.put64(this.entry(owner, line) + 24, 0n);
    } else if (waiter?.owner === agent) {
      if (this.random.chance(50)) this.settle(waiter, this.call('pollBarrier', waiter.at, this.entry(agent, line)));
      else this.#cancel(agent, waiter, 0);
    } else this.walking[agent] = true;
  }
}
