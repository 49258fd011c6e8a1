// Random protocol at box offices, at the level of steps: agents that lock, signal, read and write, wait, give up, die and are
// recovered. While one is in the middle of a walk the others go on.

import type { Random } from '@sluice/harness';
import * as L from '../../src/kernel/layout.ts';
import { MOST_DEPTH } from '../../src/kernel/mutex.ts';
import { CONSISTENT, GONE, IDLE, LINKED, ORPHANED, OUT, QUEUED, RACED, TAKEN, UNRECOVERABLE } from '../../src/kernel/states.ts';
import { AGENTS, ELEMENTS, KernelPlayers, type Element } from './kernel-players.ts';
import type { Step, Twins } from './twins.ts';

/** A kind of office with its flags; of a read-write lock, of both lines. */
const PLANS = [
  { kind: L.KIND_MUTEX, flags: [L.FLAG_MUTEX | L.FLAG_OWNED] },
  { kind: L.KIND_RECURSIVE_MUTEX, flags: [L.FLAG_MUTEX | L.FLAG_OWNED] },
  { kind: L.KIND_EVENT, flags: [L.FLAG_EVENT] },
  { kind: L.KIND_RW_LOCK, flags: [L.FLAG_READERS | L.FLAG_OWNED | L.FLAG_RECOVERY, L.FLAG_WRITERS | L.FLAG_OWNED | L.FLAG_RECOVERY] },
] as const;

const MUTEX = 0;
const RECURSIVE = 1;
const EVENT = 2;
const READERS = 3;
const WRITERS = 4;
/** All lines; the last two are of one office. */
const LINES = 5;
const HEAP_LINES = 24;
const MOST_21 = 0x1fffffn;

interface Office {
  readonly block: number;
  readonly tag: number;
  retired: boolean;
}

/** How many bytes `OfficeDriver` uses, at the most. */
export function officeBytesUsed(heap: number): number {
  return heap + AGENTS * (L.AGENT_STRIDE + LINES * L.ENTRY_STRIDE) + ELEMENTS * L.ELEMENT_STRIDE + HEAP_LINES * L.BLOCK_LINE + 1024;
}

export class OfficeDriver extends KernelPlayers {
  readonly #heapEnd: number;
  readonly #offices: Office[] = [];
  readonly #entries: number[][] = [];
  readonly #ticket: bigint;
  /** Elements whose waiter was counted out and then lost a race: it only goes on leaving. */
  readonly #leaving = new Set<Element>();
  #tags = 0;

  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    super(twins, random, coverage, heap);
    this.#ticket = ticket;
    for (let agent = 0; agent < AGENTS; agent++) this.#entries.push(Array.from({ length: LINES }, () => this.place(L.ENTRY_STRIDE)));
    this.#heapEnd = this.beginHeap() + HEAP_LINES * L.BLOCK_LINE;
    for (const index of PLANS.keys()) this.#offices.push(this.#create(0, index));
  }

  /** One random step of one random agent. */
  step(): void {
    const agent = this.random.below(AGENTS);
    if (this.walking[agent] === true) return this.walkOn(agent);
    const retired = this.#offices.findIndex((office) => office.retired);
    if (retired >= 0 && this.random.chance(25)) return this.#replace(agent, retired);
    const kind = this.random.below(100);
    if (kind < 35) this.#goOnWaiting(agent);
    else if (kind < 50) this.#mutex(agent);
    else if (kind < 62) this.#recursive(agent);
    else if (kind < 72) this.#event(agent);
    else if (kind < 82) this.#read(agent);
    else if (kind < 91) this.#write(agent);
    else if (kind < 93) this.#recover(agent);
    else if (kind < 95) this.#crowd(agent);
    else if (kind < 97) this.#health();
    else if (kind < 98) this.call('rouse', this.at(agent), this.#line(this.random.below(LINES)), this.random.between(1, 3));
    else if (kind < 99) this.#halfLeave(agent);
    else if (retired < 0) this.#retire(agent);
  }

  #office(line: number): Office {
    const office = this.#offices[Math.min(line, PLANS.length - 1)];
    if (office === undefined) throw new Error('no such office');
    return office;
  }

  /** The address of a line. */
  #line(line: number): number {
    return this.#office(line).block + (line === WRITERS ? L.BLOCK_LINE : 0);
  }

  #entry(agent: number, line: number): number {
    return line <= RECURSIVE ? 0 : (this.#entries[agent]?.[line] ?? 0);
  }

  /** Sometimes another than the office has: as after `free`. */
  #tag({ tag }: Office): number {
    return this.random.chance(3) ? tag + 1000 : tag;
  }

  /** A visit to the box office, of an agent that has an element for a wait. */
  #visit(agent: number, line: number, step: Step, args: readonly number[]): void {
    const element = this.element(agent);
    if (element === undefined) return;
    this.twins.put32(this.at(agent) + L.AGENT_SPARE, element.at);
    if (this.call(step, ...args) > TAKEN) this.beginWait(element, line);
  }

  /** A step that may let others in. */
  #leaves(agent: number, step: Step, ...args: number[]): number {
    const result = this.call(step, ...args);
    if (result > IDLE) this.walking[agent] = true;
    return result;
  }

  #mutex(agent: number): void {
    const { block, ...office } = this.#office(MUTEX);
    const [tag, id, record] = [this.#tag({ block, ...office }), agent + 1, this.at(agent)];
    const kind = this.random.below(10);
    if (kind < 2) this.call('lock', block, tag, id);
    else if (kind < 6) this.#visit(agent, MUTEX, 'enlist', [block, tag, record, this.random.chance(80) ? 1 : 0]);
    else if (kind < 9 && this.call('unlock', block, tag, id) === RACED) this.#leaves(agent, 'handOver', block, record, id);
    else if (kind === 9) this.#leaves(agent, 'handOver', block, record, id);
  }

  #recursive(agent: number): void {
    const { block, ...office } = this.#office(RECURSIVE);
    const [tag, id, record] = [this.#tag({ block, ...office }), agent + 1, this.at(agent)];
    const kind = this.random.below(10);
    if (kind < 4) this.call('relock', block, tag, id);
    else if (kind < 6) this.#visit(agent, RECURSIVE, 'enlist', [block, tag, record, this.random.chance(80) ? 1 : 0]);
    else if (this.call('unrelock', block, tag, id) === RACED) this.#leaves(agent, 'handOver', block, record, id);
  }

  #event(agent: number): void {
    const office = this.#office(EVENT);
    const [tag, record] = [this.#tag(office), this.at(agent)];
    const kind = this.random.below(10);
    if (kind < 4) this.#leaves(agent, 'signal', office.block, tag, record);
    else if (kind < 6) this.call('consume', office.block, tag);
    else this.#visit(agent, EVENT, 'attend', [office.block, tag, record]);
  }

  #read(agent: number): void {
    const office = this.#office(READERS);
    const [tag, record, entry] = [this.#tag(office), this.at(agent), this.#entry(agent, READERS)];
    const kind = this.random.below(10);
    if (kind < 3) this.call('lockReader', office.block, tag, entry);
    else if (kind < 6) this.#visit(agent, READERS, 'enlistReader', [office.block, tag, record, entry, this.random.chance(80) ? 1 : 0]);
    else this.#leaves(agent, 'unlockReader', office.block, tag, record, entry);
  }

  #write(agent: number): void {
    const office = this.#office(WRITERS);
    const [tag, record, entry] = [this.#tag(office), this.at(agent), this.#entry(agent, WRITERS)];
    const kind = this.random.below(10);
    if (kind < 2) this.call('lockWriter', office.block, tag, entry);
    else if (kind < 5) this.#visit(agent, WRITERS, 'enlistWriter', [office.block, tag, record, entry, this.random.chance(80) ? 1 : 0]);
    else if (kind < 8 && this.call('unlockWriter', office.block, tag, entry) === RACED) this.#handOverWriter(agent);
    else if (kind === 8) this.#handOverWriter(agent);
    else if (kind === 9) this.#leaves(agent, 'downgrade', office.block, tag, record, entry, this.#entry(agent, READERS));
  }

  #handOverWriter(agent: number): void {
    this.#leaves(agent, 'handOverWriter', this.#line(READERS), this.at(agent), this.#entry(agent, WRITERS));
  }

  /** A waiter does the next thing: link, park, poll or leave. */
  #goOnWaiting(agent: number): void {
    const own = this.waits(agent);
    if (own.length === 0) return this.#mutex(agent);
    const element = this.random.pick(own);
    const entry = this.#entry(agent, element.sem);
    const chance = this.random.below(10);
    if (this.#leaving.has(element)) this.#leave(agent, element, entry);
    else if (this.gate(element) === QUEUED && chance < 5) {
      if (this.call('link', this.at(agent), element.at) === LINKED) this.walking[agent] = true;
    } else if (chance < 3) this.call('park', element.at);
    else if (chance < 7) this.settle(element, this.call('poll', element.at, entry));
    else if (chance < 8) this.call('distance', element.at);
    else this.#leave(agent, element, entry);
  }

  #leave(agent: number, element: Element, entry: number): void {
    const left = this.call('leave', this.at(agent), element.at, entry);
    if (left === OUT || left === GONE) this.walking[agent] = true;
    this.settle(element, left);
    this.#leaving.delete(element);
  }

  /** A waiter has left the box office and has still to leave the line, where a permit may reach it meanwhile. */
  #halfLeave(agent: number): void {
    const gates: readonly number[] = [LINKED, QUEUED];
    const [element] = this.waits(agent).filter((wait) => gates.includes(this.gate(wait)) && wait.sem <= EVENT && !this.#leaving.has(wait));
    if (element === undefined || this.#office(element.sem).retired || !this.#countOut(element.sem)) return;
    this.twins.put32(element.at + L.LEAVING, 1);
    this.#leaving.add(element);
  }

  /** As the step `uncount` does; whether there was one to be counted out. */
  #countOut(line: number): boolean {
    const word = this.#line(line) + L.OFFICE;
    const { words } = this.twins;
    if (line === EVENT) {
      const status = words.load32(word);
      if (status < 0) this.twins.put32(word, status + 1);
      return status < 0;
    }
    const waiters = words.load64(word) >> 34n;
    if (waiters > 0n) this.twins.put64(word, words.load64(word) - (1n << 34n));
    return waiters > 0n;
  }

  /** What recovery does with waits and with what is held, while the agent lives on. */
  #recover(agent: number): void {
    const own = this.waits(agent).filter((wait) => !this.#leaving.has(wait));
    const record = this.at(agent);
    if (this.random.chance(70)) {
      for (const element of own) {
        this.settle(element, this.call('forfeit', record, element.at, this.#entry(agent, element.sem)));
        this.#finishWalk(agent);
      }
      for (const line of [EVENT, READERS, WRITERS]) this.#restore(agent, line);
    }
    for (const line of [MUTEX, RECURSIVE]) {
      this.call('bequeath', record, this.#line(line));
      this.#finishWalk(agent);
    }
  }

  #finishWalk(agent: number): void {
    do this.walkOn(agent);
    while (this.walking[agent] === true);
  }

  #restore(agent: number, line: number): void {
    const entry = this.#entry(agent, line);
    this.twins.put32(entry + L.ENTRY_SEM, this.#line(line));
    this.twins.put32(entry + L.ENTRY_TAG, this.#office(line).tag);
    while (this.call('restore', this.at(agent), entry) === RACED);
    this.#finishWalk(agent);
    this.twins.put64(entry + L.ENTRY_SINCE, 0n);
  }

  /** For a moment the words say that as many are there as can be counted. */
  #crowd(agent: number): void {
    const record = this.at(agent);
    const { block, tag, retired } = this.#office(READERS);
    const [reader, writer] = [this.#entry(agent, READERS), this.#entry(agent, WRITERS)];
    this.#whileItSays(this.#line(RECURSIVE) + L.DEPTH, BigInt(MOST_DEPTH - 1), 32, () => {
      const mutex = this.#office(RECURSIVE);
      if (!mutex.retired) this.call('relock', mutex.block, mutex.tag, agent + 1);
    });
    if (retired) return;
    this.#whileItSays(block + L.OFFICE, MOST_21, 64, () => {
      this.call('lockReader', block, tag, reader);
      this.call('enlistReader', block, tag, record, reader, 1);
    });
    this.#whileItSays(block + L.OFFICE, MOST_21 << 42n, 64, () => this.call('enlistWriter', block, tag, record, writer, 1));
    this.#whileItSays(block + L.OFFICE, (MOST_21 << 21n) | (1n << 42n), 64, () => {
      this.call('enlistReader', block, tag, record, reader, 1);
      this.call('downgrade', block, tag, record, writer, reader);
    });
  }

  #whileItSays(word: number, value: bigint, bits: 32 | 64, act: () => void): void {
    const { words } = this.twins;
    if (bits === 32) {
      const before = words.get32(word);
      this.twins.put32(word, Number(value));
      const owner = words.load64(this.#line(RECURSIVE) + L.OFFICE);
      act();
      // Who was not its owner may be it now, at the surface.
      this.twins.put32(word, words.load64(this.#line(RECURSIVE) + L.OFFICE) === owner ? before : 0);
    } else {
      const before = words.load64(word);
      this.twins.put64(word, BigInt.asIntN(64, value));
      act();
      this.twins.put64(word, before);
    }
  }

  /** What is known of owners that died changes, as it does by the hands of heirs. */
  #health(): void {
    const office = this.#office(this.random.pick([MUTEX, RECURSIVE, READERS]));
    const health = this.random.chance(60) ? CONSISTENT : this.random.pick([ORPHANED, UNRECOVERABLE]);
    if (!office.retired) this.twins.put32(office.block + L.HEALTH, health);
  }

  #retire(agent: number): void {
    const index = this.random.below(PLANS.length);
    const office = this.#office(index);
    this.call('retire', this.at(agent), office.block, office.tag);
    if (index === READERS) this.twins.put32(office.block + L.BLOCK_LINE + L.BLOCK_TAG, 0);
    office.retired = true;
    this.walking[agent] = true;
  }

  /** Puts another in the place of a retired one, once nobody waits there. */
  #replace(agent: number, index: number): void {
    const lines = index === READERS ? [READERS, WRITERS] : [index];
    const waiter = this.elements.find((element) => lines.includes(element.sem) && element.waiting && element.owner !== undefined);
    const office = this.#office(index);
    if (waiter === undefined && !this.walking.includes(true)) {
      this.call('freeBlock', office.block);
      for (let owner = 0; owner < AGENTS; owner++) for (const line of lines) this.#forget(owner, line);
      this.#offices[index] = this.#create(agent, index);
    } else if (waiter?.owner === agent && this.random.chance(70)) {
      const entry = this.#entry(agent, waiter.sem);
      if (this.random.chance(50)) this.settle(waiter, this.call('poll', waiter.at, entry));
      else this.#leave(agent, waiter, entry);
    } else {
      this.walking[agent] = true;
    }
  }

  #forget(agent: number, line: number): void {
    const entry = this.#entry(agent, line);
    if (entry !== 0) this.twins.put64(entry + L.ENTRY_HELD, 0n);
  }

  #create(agent: number, index: number): Office {
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
    for (let block = words.load32(L.HEADER_HEAP); block < words.load32(L.HEADER_TOP); block += words.load32(block + L.BLOCK_SIZE)) {
      if (this.call('reuse', agent + 1, block, size) !== TAKEN) continue;
      this.twins.clear(block + 16, size - 16);
      return block;
    }
    const block = this.call('extend', agent + 1, size, this.#heapEnd);
    if (block <= 0) throw new Error('The driver has no room for its offices.');
    return block;
  }
}
