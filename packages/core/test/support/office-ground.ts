// Box offices of every kind for a driver of kernel steps.

import type { Random } from '@sluice/harness';
import * as L from '../../src/kernel/layout.ts';
import { TAKEN } from '../../src/kernel/states.ts';
import { AGENTS, ELEMENTS, KernelPlayers } from './kernel-players.ts';
import type { Twins } from './twins.ts';

const OWNED_RECORDED = L.FLAG_OWNED | L.FLAG_RECOVERY;

/** A kind of office with its flags; of a read-write lock, of both lines. */
export const PLANS = [
  { kind: L.KIND_MUTEX, flags: [L.FLAG_MUTEX | L.FLAG_OWNED] },
  { kind: L.KIND_RECURSIVE_MUTEX, flags: [L.FLAG_MUTEX | L.FLAG_OWNED] },
  { kind: L.KIND_EVENT, flags: [L.FLAG_EVENT] },
  { kind: L.KIND_RW_LOCK, flags: [L.FLAG_READERS | OWNED_RECORDED, L.FLAG_WRITERS | OWNED_RECORDED] },
] as const;

export const MUTEX = 0;
export const RECURSIVE = 1;
export const EVENT = 2;
export const READERS = 3;
export const WRITERS = 4;
/** All lines; the last two are of one office. */
export const LINES = 5;
const HEAP_LINES = 24;

export interface Office {
  readonly block: number;
  readonly tag: number;
  retired: boolean;
}

/** How many bytes a driver uses, at the most. */
export function officeBytesUsed(heap: number): number {
  const records = AGENTS * (L.AGENT_STRIDE + LINES * L.ENTRY_STRIDE) + ELEMENTS * L.ELEMENT_STRIDE;
  return heap + records + HEAP_LINES * L.BLOCK_LINE + 1024;
}

export abstract class OfficeGround extends KernelPlayers {
  protected readonly offices: Office[] = [];
  readonly #heapEnd: number;
  readonly #entries: number[][] = [];
  readonly #ticket: bigint;
  #tags = 0;

  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    super(twins, random, coverage, heap);
    this.#ticket = ticket;
    for (let agent = 0; agent < AGENTS; agent++) {
      this.#entries.push(Array.from({ length: LINES }, () => this.place(L.ENTRY_STRIDE)));
    }
    this.#heapEnd = this.beginHeap() + HEAP_LINES * L.BLOCK_LINE;
    for (const index of PLANS.keys()) this.offices.push(this.create(0, index));
  }

  protected office(line: number): Office {
    const office = this.offices[Math.min(line, PLANS.length - 1)];
    if (office === undefined) throw new Error('no such office');
    return office;
  }

  /** The address of a line. */
  protected line(line: number): number {
    return this.office(line).block + (line === WRITERS ? L.BLOCK_LINE : 0);
  }

  protected entry(agent: number, line: number): number {
    return line <= RECURSIVE ? 0 : (this.#entries[agent]?.[line] ?? 0);
  }

  /** Sometimes another than the office has: as after `free`. */
  protected tag({ tag }: Office): number {
    return this.random.chance(3) ? tag + 1000 : tag;
  }

  protected retire(agent: number): void {
    const index = this.random.below(PLANS.length);
    const office = this.office(index);
    this.call('retire', this.at(agent), office.block, office.tag);
    if (index === READERS) this.twins.put32(office.block + L.BLOCK_LINE + L.BLOCK_TAG, 0);
    office.retired = true;
    this.walking[agent] = true;
  }

  protected create(agent: number, index: number): Office {
    const plan = PLANS[index];
    if (plan === undefined) throw new Error('no such plan');
    const block = this.#allocate(agent, plan.flags.length * L.BLOCK_LINE);
    const tag = ++this.#tags;
    for (const [line, flags] of plan.flags.entries()) {
      const at = block + line * L.BLOCK_LINE;
      this.twins.put64(at + L.TICKET, BigInt.asIntN(64, this.#ticket));
      this.twins.put64(at + L.GRANT, BigInt.asIntN(64, this.#ticket));
      this.twins.put32(at + L.FLAGS, flags);
      if (line > 0) this.twins.put32(at + L.BLOCK_TAG, tag);
    }
    this.call('publish', block, plan.kind, tag);
    return { block, tag, retired: false };
  }

  #allocate(agent: number, size: number): number {
    const { words } = this.twins;
    const top = words.load32(L.HEADER_TOP);
    for (let block = words.load32(L.HEADER_HEAP); block < top; block += words.load32(block + L.BLOCK_SIZE)) {
      if (this.call('reuse', agent + 1, block, size) !== TAKEN) continue;
      this.twins.clear(block + 16, size - 16);
      return block;
    }
    const block = this.call('extend', agent + 1, size, this.#heapEnd);
    if (block <= 0) throw new Error('The driver has no room for its offices.');
    return block;
  }
}
