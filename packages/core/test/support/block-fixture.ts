// Blocks of every kind, with their lines and ledger entries, for a driver of kernel steps.

import type { Random } from '@sluice/harness';
import * as L from '../../src/kernel/layout.ts';
import { AGENTS, ELEMENTS, KernelPlayers } from './kernel-players.ts';
import type { Twins } from './twins.ts';

export interface Line {
  readonly flags: number;
  /** Whether agents record in a ledger what they hold. */
  readonly noted?: true;
  /** Writes the initial words of the line. Its ticket and grant are already `ticket`. */
  readonly fill?: (twins: Twins, line: number, ticket: bigint, block: number) => void;
}

/** A kind of block, of at least one line. */
export interface Plan {
  readonly kind: number;
  readonly lines: readonly Line[];
  /** The number of bytes behind the lines. Default: none. */
  readonly behind?: number;
}

export interface Office {
  readonly block: number;
  readonly tag: number;
  retired: boolean;
}

const HEAP_LINES = 40;

/** The largest number of bytes that a driver of that many lines uses. */
export function fixtureBytesUsed(heap: number, lines: number): number {
  const records = AGENTS * (L.AGENT_STRIDE + lines * L.ENTRY_STRIDE) + ELEMENTS * L.ELEMENT_STRIDE;
  return heap + records + HEAP_LINES * L.BLOCK_LINE + 1024;
}

export function countLines(plans: readonly Plan[]): number {
  return plans.reduce((sum, { lines }) => sum + lines.length, 0);
}

export abstract class BlockFixture extends KernelPlayers {
  protected readonly offices: Office[] = [];
  readonly #plans: readonly Plan[];
  /** For each line: its plan and its index in the plan. */
  readonly #places: readonly { readonly plan: number; readonly index: number }[];
  readonly #heapEnd: number;
  readonly #entries: number[][] = [];
  readonly #ticket: bigint;
  #tags = 0;

  constructor(
    twins: Twins,
    random: Random,
    coverage: Map<string, number>,
    heap: number,
    ticket: bigint,
    plans: readonly Plan[],
  ) {
    super(twins, random, coverage, heap);
    this.#ticket = ticket;
    this.#plans = plans;
    this.#places = plans.flatMap(({ lines }, plan) => lines.map((_, index) => ({ plan, index })));
    for (let agent = 0; agent < AGENTS; agent++) {
      this.#entries.push(this.#places.map(() => this.place(L.ENTRY_STRIDE)));
    }
    this.#heapEnd = this.beginHeap() + HEAP_LINES * L.BLOCK_LINE;
    for (const plan of plans.keys()) this.offices.push(this.create(0, plan));
  }

  /** Returns all lines of a plan. */
  protected linesOf(plan: number): number[] {
    return [...this.#places.keys()].filter((line) => this.#places[line]?.plan === plan);
  }

  protected planOf(line: number): number {
    const place = this.#places[line];
    if (place === undefined) throw new Error('no such line');
    return place.plan;
  }

  protected office(line: number): Office {
    const office = this.offices[this.planOf(line)];
    if (office === undefined) throw new Error('no such office');
    return office;
  }

  /** Returns the address of a line. */
  protected line(line: number): number {
    return this.office(line).block + (this.#places[line]?.index ?? 0) * L.BLOCK_LINE;
  }

  /** Returns the ledger entry of an agent for a line; 0 if the line has none. */
  protected entry(agent: number, line: number): number {
    const { plan, index } = this.#places[line] ?? { plan: -1, index: -1 };
    return this.#plans[plan]?.lines[index]?.noted === true ? (this.#entries[agent]?.[line] ?? 0) : 0;
  }

  /** Returns the tag of an office, or sometimes another tag, as after `free`. */
  protected tag({ tag }: Office): number {
    return this.random.chance(3) ? tag + 1000 : tag;
  }

  /** Retires the office of a plan. The `tag` of a closed office is negative. */
  protected retire(agent: number, plan: number, tag = this.offices[plan]?.tag ?? 0): void {
    const office = this.offices[plan];
    if (office === undefined) return;
    this.call('retire', this.at(agent), office.block, tag);
    for (const line of this.linesOf(plan).slice(1)) {
      this.twins.put32(this.line(line) + L.BLOCK_TAG, 0);
      this.twins.put32(this.line(line) + L.BLOCK_KIND, 0);
      this.call('detachTombstones', this.at(agent), this.line(line));
    }
    office.retired = true;
    this.walking[agent] = true;
  }

  /** Replaces a retired office of a plan by a new one. */
  protected renew(agent: number, plan: number): void {
    for (let owner = 0; owner < AGENTS; owner++) for (const line of this.linesOf(plan)) this.#forget(owner, line);
    this.offices[plan] = this.create(agent, plan);
  }

  #forget(agent: number, line: number): void {
    const entry = this.entry(agent, line);
    if (entry !== 0) this.twins.put64(entry + L.ENTRY_HELD, 0n);
  }

  protected create(agent: number, index: number): Office {
    const plan = this.#plans[index];
    if (plan === undefined) throw new Error('no such plan');
    const block = this.#allocate(agent, plan.lines.length * L.BLOCK_LINE + (plan.behind ?? 0));
    const tag = ++this.#tags;
    for (const [line, { flags, fill }] of plan.lines.entries()) {
      const at = block + line * L.BLOCK_LINE;
      this.twins.put64(at + L.TICKET, BigInt.asIntN(64, this.#ticket));
      this.twins.put64(at + L.GRANT, BigInt.asIntN(64, this.#ticket));
      this.twins.put32(at + L.FLAGS, flags);
      if (line > 0) this.twins.put32(at + L.BLOCK_TAG, tag);
      fill?.(this.twins, at, this.#ticket, block);
    }
    this.call('publish', block, plan.kind, tag, 0);
    return { block, tag, retired: false };
  }

  #allocate(agent: number, size: number): number {
    const freed = this.call('popFreeBlock', this.listOf(size), agent + 1, L.KIND_CLAIMED);
    if (freed > 0) this.twins.clear(freed + 16, size - 16);
    const block = freed > 0 ? freed : this.call('extend', agent + 1, size, this.#heapEnd);
    if (block <= 0) throw new Error('The driver has no room for its offices.');
    return block;
  }
}
