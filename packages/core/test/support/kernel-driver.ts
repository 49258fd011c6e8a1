// A random protocol: agents call kernel steps in a possible order. During the walk of one agent the others continue, so
// the steps of several agents interleave as in threads.

import type { Random } from '@sluice/harness';
import * as L from '../../src/kernel/layout.ts';
import { CANCELLED_LEFT_BEHIND, LINKED, CANCELLED, NEEDS_WALK, QUEUED, TAKEN } from '../../src/kernel/states.ts';
import { AGENTS, ELEMENTS, KernelPlayers } from './kernel-players.ts';
import type { Twins } from './twins.ts';

const SEMAPHORES = 3;
const MAX_PERMITS = 4;
const HEAP_LINES = 24;
/** The maximum number of lines that an address can count. */
const HUGE_LINES = (2 ** 31 - 128) / L.BLOCK_LINE;
/** The index of the bounded semaphore. */
const BOUNDED = 1;
/** The maximum number of permits in circulation. It is small, so that agents have to wait. */
const MAX_FREE = 5;

interface Sem {
  block: number;
  tag: number;
  closed: boolean;
}

/** The largest number of bytes that `KernelDriver` uses with that many buckets. */
export function bytesUsed(heap: number): number {
  return (
    heap +
    AGENTS * (L.AGENT_STRIDE + SEMAPHORES * L.ENTRY_STRIDE) +
    ELEMENTS * L.ELEMENT_STRIDE +
    HEAP_LINES * L.BLOCK_LINE +
    1024
  );
}

export class KernelDriver extends KernelPlayers {
  readonly #heapEnd: number;
  readonly #sems: Sem[] = [];
  readonly #entries: number[][] = [];
  readonly #spareBlocks: { block: number; size: number }[] = [];
  readonly #ticket: bigint;
  #tags = 0;

  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    super(twins, random, coverage, heap);
    this.#ticket = ticket;
    for (let agent = 0; agent < AGENTS; agent++) {
      this.#entries.push(Array.from({ length: SEMAPHORES }, () => this.place(L.ENTRY_STRIDE)));
    }
    this.#heapEnd = this.beginHeap() + HEAP_LINES * L.BLOCK_LINE;
    for (let sem = 0; sem < SEMAPHORES; sem++) this.#sems.push(this.#createSemaphore(0, sem === BOUNDED));
  }

  /** Performs one random step of one random agent. */
  step(): void {
    const agent = this.random.below(AGENTS);
    if (this.walking[agent] === true) return this.walkOn(agent);
    const closed = this.#sems.findIndex((sem) => sem.closed);
    if (closed >= 0 && this.random.chance(25)) return this.#replace(agent, closed);
    const kind = this.random.below(200) / 2;
    if (kind < 22) this.#acquire(agent);
    else if (kind < 60) this.#goOnWaiting(agent);
    else if (kind < 78) this.#release(agent);
    else if (kind < 84) this.#tryAcquire(agent);
    else if (kind < 85) this.#drain(agent);
    else if (kind < 90) this.#wakeEarly(agent);
    else if (kind < 94) this.#look();
    else if (kind < 96) this.#useHeap(agent);
    else if (kind < 97) this.call('walk', this.at(agent));
    else if (kind < 97.5) this.#gather(agent);
    else if (kind < 98) this.#rise(agent);
    else if (kind < 99) this.#recover(agent);
    else if (closed < 0) this.#close(agent);
  }

  #gather(agent: number): void {
    this.twins.put32(this.at(agent) + L.AGENT_GATHER, this.twins.words.get32(L.HEADER_BUCKET_MASK) + 2);
    this.walking[agent] = true;
  }

  /** Merges two neighbours among the tombstones that the agent has gathered, if there are any. */
  protected override walkOn(agent: number): void {
    const { words } = this.twins;
    const gathered: number[] = [];
    const gathers = words.get32(this.at(agent) + L.AGENT_GATHER) !== 0;
    for (let at = gathers ? 0 : words.get32(this.at(agent) + L.AGENT_GATHERED); at !== 0; at = words.get32(at + L.NEXT))
      gathered.push(at);
    for (const [index, first] of gathered.entries()) {
      const behind = BigInt.asIntN(64, words.get64(first + L.DRAWN) + BigInt(words.get32(first + L.COUNT)));
      const next = gathered.findIndex(
        (at) => words.get64(at + L.DRAWN) === behind && words.get32(at + L.LINE) === words.get32(first + L.LINE),
      );
      if (next < 0 || next === index || this.random.chance(30)) continue;
      this.call('mergeTombstones', this.at(agent), first, gathered[next] ?? 0);
      break;
    }
    super.walkOn(agent);
  }

  #pickSem(): { index: number; sem: Sem } {
    // The first semaphore is used most, so that its line is long.
    const index = this.random.chance(60) ? 0 : this.random.below(SEMAPHORES);
    const sem = this.#sems[index];
    if (sem === undefined) throw new Error('no such semaphore');
    return { index, sem };
  }

  /** Returns the ledger entry, or sometimes none, as with `recovery: false`. */
  #entry(agent: number, sem: number): number {
    return sem === SEMAPHORES - 1 ? 0 : (this.#entries[agent]?.[sem] ?? 0);
  }

  #acquire(agent: number): void {
    const { index, sem } = this.#pickSem();
    const count = this.random.chance(50) ? 1 : this.random.between(1, MAX_PERMITS);
    const spare = this.at(agent) + L.AGENT_SPARE;
    const stub = this.at(agent) + L.AGENT_STUB;
    const element = this.random.chance(10) ? undefined : this.element(agent);
    this.twins.put32(spare, element?.at ?? 0);
    const result = this.call('acquire', sem.block, sem.tag, this.#entry(agent, index), count, this.at(agent));
    if (result <= 0) return;
    if (result > 0) this.call('beginWait', result, this.random.below(2), 2 ** 40 + this.steps);
    if (result !== stub) return this.beginWait(element, index);
    const late = this.element(agent);
    if (late === undefined || this.random.chance(30)) {
      if (this.call('withdraw', this.at(agent), stub) === CANCELLED) this.walking[agent] = true;
      return;
    }
    this.twins.put32(spare, late.at);
    this.call('adopt', this.at(agent));
    this.beginWait(late, index);
  }

  /** Performs the next step of a waiter: link, park, poll or leave. */
  #goOnWaiting(agent: number): void {
    const own = this.waits(agent);
    if (own.length === 0) return this.#tryAcquire(agent);
    const element = this.random.pick(own);
    const entry = this.#entry(agent, element.sem);
    const chance = this.random.below(10);
    const isQueued = this.gate(element) === QUEUED;
    if (isQueued && chance < 3) {
      if (this.call('link', this.at(agent), element.at) === LINKED) this.walking[agent] = true;
    } else if (chance < (isQueued ? 5 : 3)) {
      if (this.call('park', element.at, this.at(agent)) === NEEDS_WALK) this.walking[agent] = true;
    } else if (chance < 8) {
      const seen = this.call('poll', element.at, entry);
      this.settle(element, seen);
      if (seen === TAKEN) this.call('endWait', this.at(agent), element.at, entry, this.steps, this.steps % 1000);
    } else {
      const left = this.call('cancelWait', this.at(agent), element.at, entry, 0);
      if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND) this.walking[agent] = true;
      this.settle(element, left);
    }
  }

  #release(agent: number): void {
    const { index, sem } = this.#pickSem();
    const count = this.random.chance(60) ? 1 : this.random.between(1, MAX_PERMITS);
    if (index !== BOUNDED && this.#balance(sem) + count > MAX_FREE) return;
    const result = this.call('release', sem.block, sem.tag, this.at(agent), this.#entry(agent, index), count);
    if (result === NEEDS_WALK) this.walking[agent] = true;
  }

  #balance(sem: Sem): number {
    const { words } = this.twins;
    return Number(BigInt.asIntN(64, words.load64(sem.block + L.GRANT) - words.load64(sem.block + L.TICKET)));
  }

  #tryAcquire(agent: number): void {
    const { index, sem } = this.#pickSem();
    this.call('tryAcquire', sem.block, sem.tag, this.#entry(agent, index), this.random.between(1, MAX_PERMITS));
  }

  #drain(agent: number): void {
    const { index, sem } = this.#pickSem();
    this.call('drain', sem.block, sem.tag, this.#entry(agent, index));
  }

  #wakeEarly(agent: number): void {
    if (this.random.chance(30)) this.call('rewake', this.at(agent), this.random.pick(this.elements).at);
    else this.call('wakeEarly', this.at(agent), this.#pickSem().sem.block, this.random.between(1, 3));
  }

  #look(): void {
    const element = this.random.pick(this.elements);
    // Use another tag: at these lines no waiter returns to its place.
    if (this.random.chance(20)) this.call('rejoin', this.at(0), element.at, this.#pickSem().sem.block, -1);
    else if (element.waiting && this.random.chance(50)) this.call('distance', element.at);
    else this.call('balance', this.#pickSem().sem.block);
  }

  #close(agent: number): void {
    const { sem } = this.#pickSem();
    this.call('close', this.at(agent), sem.block, sem.tag);
    this.call('close', this.at(agent), sem.block, sem.tag);
    sem.closed = true;
    this.walking[agent] = true;
  }

  /** Moves the ownership of an agent's record, as reclaimers do. Then the agent joins again. */
  #rise(agent: number): void {
    const [record, id, other] = [this.at(agent), agent + 1, this.random.between(1, AGENTS)];
    this.call('takeOver', record, id, 0, other);
    this.call('takeOver', record, id, 0, other);
    if (this.random.chance(50)) this.call('takeOver', record, id, other, 0);
    else if (this.call('dismiss', record, id, other) === TAKEN) this.call('claimRecord', record, id, id);
    this.call('dismiss', record, id, other);
    this.call('claimRecord', record, id, id);
  }

  /** Performs the recovery steps for a wait and for held permits, while the agent stays alive. */
  #recover(agent: number): void {
    const own = this.waits(agent);
    if (own.length > 0 && this.random.chance(50)) {
      const element = this.random.pick(own);
      const left = this.callForDead(
        'cancelWait',
        this.at(agent),
        element.at,
        this.random.chance(50) ? 0 : this.#entry(agent, element.sem),
        1,
      );
      this.settle(element, left);
    } else {
      const { index, sem } = this.#pickSem();
      const entry = this.#entry(agent, index);
      if (entry === 0) return;
      this.twins.put32(entry + L.ENTRY_LINE, sem.block);
      this.twins.put32(entry + L.ENTRY_TAG, sem.tag);
      this.call('restore', this.at(agent), entry);
    }
    this.walking[agent] = true;
  }

  /** Frees a closed semaphore once no agent waits there, and creates another one in its place. */
  #replace(agent: number, index: number): void {
    const waiter = this.elements.find(
      (element) => element.sem === index && element.waiting && element.owner !== undefined,
    );
    const sem = this.#sems[index];
    if (sem === undefined) return;
    if (waiter === undefined && !this.walking.includes(true)) {
      this.call('retire', this.at(agent), sem.block, -sem.tag);
      this.call('retire', this.at(agent), sem.block, -sem.tag);
      this.pushFreeBlock(agent, sem.block);
      this.walking[agent] = true;
      this.#sems[index] = this.#createSemaphore(agent, index === BOUNDED);
    } else if (waiter?.owner === agent && this.random.chance(50)) {
      this.settle(waiter, this.call('poll', waiter.at, this.#entry(agent, index)));
    } else {
      this.call('walk', this.at(agent));
      this.walking[agent] = true;
    }
  }

  #createSemaphore(agent: number, bounded: boolean): Sem {
    const block = this.#allocate(agent, L.BLOCK_LINE);
    if (block <= 0) throw new Error('The driver has no room for its semaphores.');
    const permits = BigInt(this.random.below(3));
    this.twins.put64(block + L.TICKET, BigInt.asIntN(64, this.#ticket));
    this.twins.put64(block + L.GRANT, BigInt.asIntN(64, this.#ticket + permits));
    this.twins.put64(block + L.CAPACITY, permits);
    this.twins.put32(block + L.LIMIT, bounded ? MAX_FREE : 0);
    this.#tags += 1;
    this.call('publish', block, L.KIND_SEMAPHORE, this.#tags, 0);
    return { block, tag: this.#tags, closed: false };
  }

  /** Returns a freed block of that size, or one from the end of the heap. */
  #allocate(agent: number, size: number): number {
    const freed =
      size > HEAP_LINES * L.BLOCK_LINE ? 0 : this.call('popFreeBlock', this.listOf(size), agent + 1, L.KIND_CLAIMED);
    if (freed > 0) this.twins.clear(freed + 16, size - 16);
    return freed > 0 ? freed : this.call('extend', agent + 1, size, this.#heapEnd);
  }

  /** Allocates blocks that are not semaphores, gives them to a pool, splits, joins or frees them. */
  #useHeap(agent: number): void {
    const spare = this.#spareBlocks.at(-1);
    if (spare !== undefined && this.random.chance(80)) return this.#giveBack(agent, spare);
    // Also use sizes whose sum with an address exceeds 2^31. The step must refuse them.
    const lines = this.random.chance(10)
      ? this.random.between(HUGE_LINES - 200, HUGE_LINES)
      : this.random.between(1, 3);
    const size = lines * L.BLOCK_LINE;
    const block = this.#allocate(agent, size);
    if (block <= 0) return;
    // A pool's list only grows, so few blocks go there.
    if (this.random.chance(5))
      this.call('addToPool', L.HEADER_LEDGER_POOL, block, this.twins.words.load32(L.HEADER_LEDGER_POOL));
    else this.#spareBlocks.push({ block, size });
  }

  #giveBack(agent: number, { block, size }: { readonly block: number; readonly size: number }): void {
    this.#spareBlocks.pop();
    if (size === L.BLOCK_LINE || this.random.chance(50)) return this.pushFreeBlock(agent, block);
    const rest = this.call('split', block, L.BLOCK_LINE, agent + 1);
    if (this.random.chance(50)) this.call('absorb', block, rest);
    else this.pushFreeBlock(agent, rest);
    this.pushFreeBlock(agent, block);
  }
}
