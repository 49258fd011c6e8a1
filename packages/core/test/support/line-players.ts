// Agents that arrive, wait, give up and are recovered in the lines of any block, for a driver of kernel steps.

import * as L from '../../src/kernel/layout.ts';
import {
  CONSISTENT,
  CANCELLED_LEFT_BEHIND,
  LINKED,
  NEEDS_WALK,
  ORPHANED,
  CANCELLED,
  QUEUED,
  RACED,
  TAKEN,
  UNRECOVERABLE,
  WAITING,
} from '../../src/kernel/states.ts';
import { BlockFixture } from './block-fixture.ts';
import { AGENTS, type Element } from './kernel-players.ts';
import type { Step } from './twins.ts';
import { asEntry } from '../../src/kernel/addresses.ts';

/** Far more than the number of elements, permits and lines that one of these steps can visit. */
const MAX_CALLS = 10_000;

/** The steps of waiters in a line, and of the recovery of dead waiters, by their names. */
export interface LineNames {
  readonly park: Step;
  readonly poll: Step;
  /** WAITING: `leaveLine` follows. */
  readonly cancel: Step;
  readonly restore: Step;
  readonly releaseForDeadOwner: Step;
}

export const OF_THE_CORE: LineNames = {
  park: 'park',
  poll: 'poll',
  cancel: 'cancelWait',
  restore: 'restore',
  releaseForDeadOwner: 'releaseForDeadOwner',
};

/** Where an agent left an element behind: its place, if the line has not passed it. */
interface Left {
  readonly agent: number;
  readonly element: Element;
  readonly line: number;
  readonly address: number;
  readonly tag: number;
}

export abstract class LinePlayers extends BlockFixture {
  readonly #left: Left[] = [];
  /** Elements whose waiter left the count and then lost a race. Such a waiter can only continue to leave. */
  readonly #leaving = new Set<Element>();

  /** Default: the steps of the core. A kind has its own. */
  protected namesAt(_line: number): LineNames {
    return OF_THE_CORE;
  }

  /**
   * Returns a random agent for the next action. Returns `undefined` if an agent continued its walk or replaced a freed
   * block instead.
   */
  protected comesNext(): number | undefined {
    const agent = this.random.below(AGENTS);
    if (this.walking[agent] === true) {
      this.walkOn(agent);
      return undefined;
    }
    const retired = this.offices.findIndex((office) => office.retired);
    if (retired < 0 || !this.random.chance(25)) return agent;
    this.replace(agent, retired);
    return undefined;
  }

  /** Frees one block at a time. */
  protected get mayRetire(): boolean {
    return !this.offices.some((office) => office.retired);
  }

  /** Visits the box office with an agent that has an element for a wait. */
  protected visit(agent: number, line: number, step: Step, ...args: readonly number[]): void {
    const element = this.element(agent);
    if (element === undefined) return;
    this.twins.put32(this.at(agent) + L.AGENT_SPARE, element.at);
    if (this.call(step, ...args) > 0) this.beginWait(element, line);
  }

  protected mayWait(): number {
    return this.random.chance(80) ? 1 : 0;
  }

  /** Calls a step that may admit other agents. */
  protected leaves(agent: number, step: Step, ...args: readonly number[]): number {
    const result = this.call(step, ...args);
    if (result > 0 || result === NEEDS_WALK) this.walking[agent] = true;
    return result;
  }

  /** Performs the next step of a waiter: link, park, poll or leave. */
  protected goOnWaiting(agent: number): void {
    const own = this.waits(agent);
    if (own.length === 0) return;
    const element = this.random.pick(own);
    const entry = this.entry(agent, element.sem);
    const chance = this.random.below(10);
    if (this.#leaving.has(element)) this.#leave(agent, element, asEntry(entry));
    else if (this.gate(element) === QUEUED && chance < 3) {
      if (this.call('link', this.at(agent), element.at) === LINKED) this.walking[agent] = true;
    } else if (chance < (this.gate(element) === QUEUED ? 5 : 3)) this.#park(agent, element);
    else if (chance < 7) this.#poll(agent, element, asEntry(entry));
    else if (chance < 8) this.call('distance', element.at);
    else this.#leave(agent, element, asEntry(entry));
  }

  #park(agent: number, element: Element): void {
    const { park } = this.namesAt(element.sem);
    if (this.call(park, element.at, this.at(agent)) === NEEDS_WALK) this.walking[agent] = true;
  }

  #poll(agent: number, element: Element, entry: number): void {
    const seen = this.call(this.namesAt(element.sem).poll, element.at, entry);
    this.settle(element, seen);
    if (seen === TAKEN) this.entered(agent, element.sem);
  }

  #leave(agent: number, element: Element, entry: number): void {
    const { words } = this.twins;
    const place: Left = {
      agent,
      element,
      line: element.sem,
      address: words.get32(element.at + L.LINE),
      tag: words.get32(element.at + L.TAG),
    };
    let left = this.call(this.namesAt(element.sem).cancel, this.at(agent), element.at, entry, 0);
    if (left === WAITING) {
      // Other agents may act between the two steps.
      if (this.random.chance(30)) {
        this.#leaving.add(element);
        return;
      }
      left = this.call('leaveLine', this.at(agent), element.at);
    }
    if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND) this.walking[agent] = true;
    this.settle(element, left);
    this.#leaving.delete(element);
    if (left === TAKEN) this.entered(agent, element.sem);
    if (left === CANCELLED_LEFT_BEHIND) this.#left.push(place);
  }

  /**
   * The agent waits again at a place that it left in that line, if that is still possible. Returns whether it had left
   * a place.
   */
  protected comesBack(agent: number, line: number): boolean {
    const index = this.#left.findLastIndex((left) => left.agent === agent && left.line === line);
    const [left] = index < 0 ? [] : this.#left.splice(index, 1);
    if (left === undefined || this.office(line).retired) return false;
    const { element, address, tag } = left;
    if (this.call('rejoin', this.at(agent), element.at, address, tag) !== TAKEN) return true;
    element.owner = agent;
    this.beginWait(element, line);
    return true;
  }

  /** Records that a waiter was admitted. */
  protected entered(_agent: number, _line: number): void {
    // Only some drivers keep a record of it.
  }

  /**
   * A waiter leaves the box office but not the line, where a permit may still reach it. The step `cancelWait` does so when
   * it loses a race between the two. `lines` are the lines of box offices that count their waiters.
   */
  protected halfLeave(agent: number, lines: readonly number[]): void {
    const gates: readonly number[] = [LINKED, QUEUED];
    const own = this.waits(agent).filter((wait) => lines.includes(wait.sem) && !this.#leaving.has(wait));
    const element = own.find((wait) => gates.includes(this.gate(wait)));
    if (element === undefined || this.office(element.sem).retired || !this.countOut(element.sem)) return;
    this.twins.put32(element.at + L.LEAVING, 1);
    this.#leaving.add(element);
  }

  /**
   * Subtracts a waiter from the count, as the step of its kind does (`cancelAt`), for `halfLeave`. Returns whether there was a
   * waiter.
   */
  protected countOut(_line: number): boolean {
    return false;
  }

  /** Like the above, for a count in a 64-bit word from that bit on. */
  protected countOutAt(line: number, bit: bigint): boolean {
    const word = this.line(line) + L.OFFICE;
    const { words } = this.twins;
    const waiters = BigInt.asUintN(64, words.load64(word)) >> bit;
    if (waiters > 0n) this.twins.put64(word, words.load64(word) - (1n << bit));
    return waiters > 0n;
  }

  /**
   * Cancels all waits of an agent as its recovery does, while the agent stays alive. A grant that came first is
   * recorded in `entry`.
   */
  protected cancelAllDead(agent: number, entry: (line: number) => number): void {
    for (const element of this.waits(agent).filter((wait) => !this.#leaving.has(wait))) {
      const { cancel } = this.namesAt(element.sem);
      let left = RACED;
      this.repeat(cancel, () => {
        left = this.callForDead(cancel, this.at(agent), element.at, entry(element.sem), 1);
        if (left === WAITING) left = this.call('leaveLine', this.at(agent), element.at);
        return left === RACED;
      });
      this.settle(element, left);
      this.finishWalk(agent);
    }
  }

  protected finishWalk(agent: number): void {
    this.repeat('walk', () => {
      this.walkOn(agent);
      return this.walking[agent] === true;
    });
  }

  /** Repeats the step until it succeeds. No other agent acts meanwhile, so a step that never succeeds fails here. */
  protected repeat(step: Step, again: () => boolean): void {
    for (let calls = 0; again(); calls++)
      if (calls > MAX_CALLS) this.twins.fail(`${step} is not done after ${MAX_CALLS} calls`);
  }

  protected restore(agent: number, line: number): void {
    const entry = this.entry(agent, line);
    this.twins.put32(entry + L.ENTRY_LINE, this.line(line));
    this.twins.put32(entry + L.ENTRY_TAG, this.office(line).tag);
    const { restore } = this.namesAt(line);
    this.repeat(restore, () => this.call(restore, this.at(agent), entry) === RACED);
    this.finishWalk(agent);
    this.twins.put64(entry + L.ENTRY_SINCE, 0n);
  }

  protected releaseForDeadOwner(agent: number, line: number): void {
    const { releaseForDeadOwner } = this.namesAt(line);
    this.repeat(releaseForDeadOwner, () => this.call(releaseForDeadOwner, this.at(agent), this.line(line)) === RACED);
    this.finishWalk(agent);
  }

  /** Changes the HEALTH of locks, as the next owners after a death do. */
  protected changeHealth(lines: readonly number[]): void {
    const office = this.office(this.random.pick(lines));
    const health = this.random.chance(60) ? CONSISTENT : this.random.pick([ORPHANED, UNRECOVERABLE]);
    if (!office.retired) this.twins.put32(office.block + L.HEALTH, health);
  }

  /** Creates another block in the place of a retired one, once no agent waits there. Returns whether it did. */
  protected replace(agent: number, plan: number): boolean {
    const lines = this.linesOf(plan);
    const waiter = this.elements.find(
      (element) => lines.includes(element.sem) && element.waiting && element.owner !== undefined,
    );
    const office = this.offices[plan];
    if (waiter === undefined && !this.walking.includes(true)) {
      if (office !== undefined) this.pushFreeBlock(agent, office.block);
      this.renew(agent, plan);
      return true;
    }
    if (waiter?.owner === agent && this.random.chance(70)) {
      const entry = this.entry(agent, waiter.sem);
      if (this.random.chance(50)) this.settle(waiter, this.call(this.namesAt(waiter.sem).poll, waiter.at, entry));
      else this.#leave(agent, waiter, asEntry(entry));
    } else {
      this.walking[agent] = true;
    }
    return false;
  }
}
