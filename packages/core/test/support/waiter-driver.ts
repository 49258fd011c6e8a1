// Random steps of waiters that are admitted all at once: they link, park, poll and cancel, and are recovered. A kind
// adds its own steps.

import type { Random } from '@sluice/harness';
import * as L from '../../src/kernel/layout.ts';
import { CANCELLED, CANCELLED_LEFT_BEHIND, LINKED, NEEDS_WALK, QUEUED } from '../../src/kernel/states.ts';
import { BlockFixture, type Plan } from './block-fixture.ts';
import { AGENTS, type Element } from './kernel-players.ts';
import type { Twins } from './twins.ts';

/** The names of a kind's steps. */
export interface WaitSteps {
  readonly enqueue: string;
  readonly poll: string;
  readonly cancel: string;
}

export abstract class WaiterDriver extends BlockFixture {
  readonly #steps: WaitSteps;
  readonly #blocks: number;

  constructor(
    twins: Twins,
    random: Random,
    coverage: Map<string, number>,
    heap: number,
    plans: readonly Plan[],
    steps: WaitSteps,
  ) {
    super(twins, random, coverage, heap, 0n, plans);
    this.#steps = steps;
    this.#blocks = plans.length;
  }

  /** Performs one random step of one random agent. During the walk of an agent the others continue. */
  step(): void {
    const agent = this.random.below(AGENTS);
    if (this.walking[agent] === true) {
      this.walkOn(agent);
      return;
    }
    const line = this.random.below(this.#blocks);
    if (this.office(line).retired) this.#replace(agent, line);
    else this.act(agent, line);
  }

  /** Performs one random step of the agent at that block. */
  protected abstract act(agent: number, line: number): void;

  /** Returns the ledger entry of the agent for the block. */
  protected entryAt(agent: number, line: number): number {
    const [entry, { block, tag }] = [this.entry(agent, line), this.office(line)];
    this.twins.put32(entry + L.ENTRY_LINE, block);
    this.twins.put32(entry + L.ENTRY_TAG, tag);
    return entry;
  }

  protected walks(agent: number, result: number): void {
    if (result === NEEDS_WALK) this.walking[agent] = true;
  }

  /** Begins a wait, if the agent has an element. `more`: the arguments after `mayWait`. */
  protected visit(agent: number, line: number, tag: number, more: () => readonly number[] = () => []): void {
    const element = this.element(agent);
    if (element === undefined) return;
    this.twins.put32(this.at(agent) + L.AGENT_SPARE, element.at);
    const rest = more();
    if (
      this.call(
        this.#steps.enqueue,
        this.office(line).block,
        tag,
        this.at(agent),
        this.random.chance(80) ? 1 : 0,
        ...rest,
      ) > 0
    )
      this.beginWait(element, line);
  }

  /** Performs the next step of a waiter: link, park, poll or cancel. */
  protected goOn(agent: number): void {
    const own = this.waits(agent);
    if (own.length === 0) return;
    const element = this.random.pick(own);
    const chance = this.random.below(10);
    const isQueued = this.gate(element) === QUEUED;
    if (isQueued && chance < 3) {
      if (this.call('link', this.at(agent), element.at) === LINKED) this.walking[agent] = true;
    } else if (chance < (isQueued ? 5 : 3)) {
      if (this.call('park', element.at, this.at(agent)) === NEEDS_WALK) this.walking[agent] = true;
    } else if (chance < 8) this.#poll(element);
    else this.#cancel(agent, element);
  }

  /** Performs the recovery steps for waits, then the other recovery steps, while the agent stays alive. */
  protected recover(agent: number, line: number, restore?: () => void): void {
    for (const element of this.waits(agent)) {
      if (element.sem !== line) continue;
      this.#cancel(agent, element);
      this.#finishWalk(agent);
    }
    if (restore === undefined) return;
    restore();
    this.#finishWalk(agent);
  }

  #poll(element: Element): void {
    this.settle(element, this.call(this.#steps.poll, element.at, 0));
  }

  #cancel(agent: number, element: Element): void {
    const left = this.call(this.#steps.cancel, this.at(agent), element.at, 0);
    if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND) this.walking[agent] = true;
    this.settle(element, left);
  }

  #finishWalk(agent: number): void {
    do this.walkOn(agent);
    while (this.walking[agent] === true);
  }

  /** Creates another block in the place of a freed one, once no agent waits there. */
  #replace(agent: number, line: number): void {
    const waiter = this.elements.find(({ sem, waiting, owner }) => sem === line && waiting && owner !== undefined);
    if (waiter === undefined && !this.walking.includes(true)) {
      this.pushFreeBlock(agent, this.office(line).block);
      this.renew(agent, line);
    } else if (waiter?.owner === agent) {
      if (this.random.chance(50)) this.#poll(waiter);
      else this.#cancel(agent, waiter);
    } else this.walking[agent] = true;
  }
}
