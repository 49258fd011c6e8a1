// The common part of the drivers of random kernel steps: agents with their walks, and elements.

import type { Random } from '@sluice/harness';
import * as L from '../../src/kernel/layout.ts';
import { ADMITTED_DETACHED, CANCELLED_LEFT_BEHIND, IDLE, CANCELLED, SHUT, TAKEN } from '../../src/kernel/states.ts';
import { describeResult } from './kernel-results.ts';
import type { Twins } from './twins.ts';

export const AGENTS = 4;
export const ELEMENTS = 14;

export interface Element {
  readonly at: number;
  /** The index of the agent whose wait it serves, or undefined while it has no owner. */
  owner: number | undefined;
  waiting: boolean;
  /** The index of the block that it waits for. */
  sem: number;
}

export abstract class KernelPlayers {
  /** The number of times that each step returned each kind of result. */
  readonly coverage: Map<string, number>;
  steps = 0;
  protected readonly twins: Twins;
  protected readonly random: Random;
  protected readonly walking = Array.from({ length: AGENTS }, () => false);
  protected readonly elements: Element[] = [];
  /** The address at which the next block may be placed. */
  #end: number;
  readonly #agents: number[] = [];

  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number) {
    this.twins = twins;
    this.random = random;
    this.coverage = coverage;
    this.#end = heap;
    for (let agent = 0; agent < AGENTS; agent++) {
      const record = this.place(L.AGENT_STRIDE);
      this.#agents.push(record);
      this.call('claimRecord', record, agent + 1, agent + 1);
    }
    for (let element = 0; element < ELEMENTS; element++) {
      this.elements.push({ at: this.place(L.ELEMENT_STRIDE), owner: undefined, waiting: false, sem: 0 });
    }
  }

  /** Returns bytes that belong to no block yet. */
  protected place(bytes: number): number {
    return (this.#end += bytes) - bytes;
  }

  /** Returns the list of free blocks of that size. */
  protected listOf(size: number): number {
    return this.twins.words.get32(L.HEADER_LISTS) + 8 * Math.min(7, size / L.BLOCK_LINE - 1);
  }

  /** Frees a block that the agent has in hand. */
  protected pushFreeBlock(agent: number, block: number): void {
    this.call(
      'pushFreeBlock',
      this.listOf(this.twins.words.load32(block + L.BLOCK_SIZE)),
      block,
      agent + 1,
      L.KIND_FREE,
    );
  }

  /** Begins the heap behind everything that was placed. Returns its address. */
  protected beginHeap(): number {
    const blocks = Math.ceil(this.#end / L.BLOCK_LINE) * L.BLOCK_LINE;
    this.twins.put32(L.HEADER_HEAP, blocks);
    this.twins.put32(L.HEADER_TOP, blocks);
    return blocks;
  }

  protected call(step: string, ...args: number[]): number {
    return this.#callAs(step, step, args);
  }

  /** Like `call`, for a dead agent, whose results are counted separately. */
  protected callForDead(step: string, ...args: number[]): number {
    return this.#callAs(`${step} dead`, step, args);
  }

  #callAs(name: string, step: string, args: readonly number[]): number {
    const result = this.twins.call(step, ...args);
    this.steps += 1;
    const key = `${name} ${this.describe(step, result)}`;
    this.coverage.set(key, (this.coverage.get(key) ?? 0) + 1);
    return result;
  }

  /** Returns a result of a step in words. */
  protected describe(step: string, result: number): string {
    return describeResult(this.likeStep(step), result);
  }

  /** Returns the step of the core whose results mean the same. */
  protected likeStep(step: string): string {
    return step;
  }

  protected at(agent: number): number {
    return this.#agents[agent] ?? 0;
  }

  protected gate(element: Element): number {
    return this.twins.words.load32(element.at + L.GATE);
  }

  /** Returns the waits of an agent. */
  protected waits(agent: number): Element[] {
    return this.elements.filter(({ owner, waiting }) => owner === agent && waiting);
  }

  protected walkOn(agent: number): void {
    this.walking[agent] = this.call('walk', this.at(agent)) !== IDLE || this.walkKind(agent);
    this.#collect();
  }

  /** Performs a part of the work that a step left to the walk of a kind. Returns false if there was none. */
  protected walkKind(_agent: number): boolean {
    return false;
  }

  /** Forgets the elements that walkers gave back to the pool. */
  #collect(): void {
    for (const element of this.elements) {
      if (element.owner === undefined || this.twins.words.load32(element.at + L.OWNER) !== 0) continue;
      element.owner = undefined;
      element.waiting = false;
    }
  }

  /** Returns an element that the agent keeps or claims. */
  protected element(agent: number): Element | undefined {
    const kept = this.elements.find(({ owner, waiting }) => owner === agent && !waiting);
    if (kept !== undefined) return kept;
    const wanted = this.random.pick(this.elements);
    if (this.call('claim', wanted.at, agent + 1) !== TAKEN) return undefined;
    wanted.owner = agent;
    wanted.waiting = false;
    return wanted;
  }

  protected beginWait(element: Element | undefined, sem: number): void {
    if (element === undefined) return;
    element.waiting = true;
    element.sem = sem;
  }

  protected settle(element: Element, result: number): void {
    if (result === TAKEN || result === SHUT || result === CANCELLED) element.waiting = false;
    // An element that stays behind has no owner. Only the word OWNER shows when a walker has freed it.
    else if (result === CANCELLED_LEFT_BEHIND || result === ADMITTED_DETACHED) element.owner = -1;
  }
}
