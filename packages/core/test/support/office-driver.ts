// Random protocol at box offices, at the level of steps: agents that lock, signal, read and write, wait, give up, die and are
// recovered. While one is in the middle of a walk the others go on.

import * as L from '../../src/kernel/layout.ts';
import { MOST_DEPTH } from '../../src/kernel/mutex.ts';
import { CONSISTENT, GONE, IDLE, LINKED, ORPHANED, OUT, QUEUED, RACED, TAKEN, UNRECOVERABLE } from '../../src/kernel/states.ts';
import { AGENTS, type Element } from './kernel-players.ts';
import { EVENT, LINES, MUTEX, OfficeGround, READERS, RECURSIVE, WRITERS } from './office-ground.ts';
import type { Step } from './twins.ts';

const MOST_21 = 0x1fffffn;

export class OfficeDriver extends OfficeGround {
  /** Elements whose waiter was counted out and then lost a race: it only goes on leaving. */
  readonly #leaving = new Set<Element>();

  /** One random step of one random agent. */
  step(): void {
    const agent = this.random.below(AGENTS);
    if (this.walking[agent] === true) return this.walkOn(agent);
    const retired = this.offices.findIndex((office) => office.retired);
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
    else if (kind < 98) this.call('rouse', this.at(agent), this.line(this.random.below(LINES)), this.random.between(1, 3));
    else if (kind < 99) this.#halfLeave(agent);
    else if (retired < 0) this.retire(agent);
  }

  /** A visit to the box office, of an agent that has an element for a wait. */
  #visit(agent: number, line: number, step: Step, args: readonly number[]): void {
    const element = this.element(agent);
    if (element === undefined) return;
    this.twins.put32(this.at(agent) + L.AGENT_SPARE, element.at);
    if (this.call(step, ...args) > TAKEN) this.beginWait(element, line);
  }

  #mayWait(): number {
    return this.random.chance(80) ? 1 : 0;
  }

  /** A step that may let others in. */
  #leaves(agent: number, step: Step, ...args: number[]): number {
    const result = this.call(step, ...args);
    if (result > IDLE) this.walking[agent] = true;
    return result;
  }

  #mutex(agent: number): void {
    const { block, ...office } = this.office(MUTEX);
    const [tag, id, record] = [this.tag({ block, ...office }), agent + 1, this.at(agent)];
    const kind = this.random.below(10);
    if (kind < 2) this.call('lock', block, tag, id);
    else if (kind < 6) this.#visit(agent, MUTEX, 'enlist', [block, tag, record, this.#mayWait()]);
    else if (kind < 9 && this.call('unlock', block, tag, id) === RACED) this.#leaves(agent, 'handOver', block, record, id);
    else if (kind === 9) this.#leaves(agent, 'handOver', block, record, id);
  }

  #recursive(agent: number): void {
    const { block, ...office } = this.office(RECURSIVE);
    const [tag, id, record] = [this.tag({ block, ...office }), agent + 1, this.at(agent)];
    const kind = this.random.below(10);
    if (kind < 4) this.call('relock', block, tag, id);
    else if (kind < 6) this.#visit(agent, RECURSIVE, 'enlist', [block, tag, record, this.#mayWait()]);
    else if (this.call('unrelock', block, tag, id) === RACED) this.#leaves(agent, 'handOver', block, record, id);
  }

  #event(agent: number): void {
    const office = this.office(EVENT);
    const [tag, record] = [this.tag(office), this.at(agent)];
    const kind = this.random.below(10);
    if (kind < 4) this.#leaves(agent, 'signal', office.block, tag, record);
    else if (kind < 6) this.call('consume', office.block, tag);
    else this.#visit(agent, EVENT, 'attend', [office.block, tag, record]);
  }

  #read(agent: number): void {
    const office = this.office(READERS);
    const [tag, record, entry] = [this.tag(office), this.at(agent), this.entry(agent, READERS)];
    const kind = this.random.below(10);
    if (kind < 3) this.call('lockReader', office.block, tag, entry);
    else if (kind < 6) this.#visit(agent, READERS, 'enlistReader', [office.block, tag, record, entry, this.#mayWait()]);
    else this.#leaves(agent, 'unlockReader', office.block, tag, record, entry);
  }

  #write(agent: number): void {
    const office = this.office(WRITERS);
    const [tag, record, entry] = [this.tag(office), this.at(agent), this.entry(agent, WRITERS)];
    const kind = this.random.below(10);
    if (kind < 2) this.call('lockWriter', office.block, tag, entry);
    else if (kind < 5) this.#visit(agent, WRITERS, 'enlistWriter', [office.block, tag, record, entry, this.#mayWait()]);
    else if (kind < 8 && this.call('unlockWriter', office.block, tag, entry) === RACED) this.#handOverWriter(agent);
    else if (kind === 8) this.#handOverWriter(agent);
    else if (kind === 9) this.#leaves(agent, 'downgrade', office.block, tag, record, entry, this.entry(agent, READERS));
  }

  #handOverWriter(agent: number): void {
    this.#leaves(agent, 'handOverWriter', this.line(READERS), this.at(agent), this.entry(agent, WRITERS));
  }

  /** A waiter does the next thing: link, park, poll or leave. */
  #goOnWaiting(agent: number): void {
    const own = this.waits(agent);
    if (own.length === 0) return this.#mutex(agent);
    const element = this.random.pick(own);
    const entry = this.entry(agent, element.sem);
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
    const own = this.waits(agent).filter((wait) => wait.sem <= EVENT && !this.#leaving.has(wait));
    const element = own.find((wait) => gates.includes(this.gate(wait)));
    if (element === undefined || this.office(element.sem).retired || !this.#countOut(element.sem)) return;
    this.twins.put32(element.at + L.LEAVING, 1);
    this.#leaving.add(element);
  }

  /** As the step `uncount` does; whether there was one to be counted out. */
  #countOut(line: number): boolean {
    const word = this.line(line) + L.OFFICE;
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
        this.settle(element, this.call('forfeit', record, element.at, this.entry(agent, element.sem)));
        this.#finishWalk(agent);
      }
      for (const line of [EVENT, READERS, WRITERS]) this.#restore(agent, line);
    }
    for (const line of [MUTEX, RECURSIVE]) {
      this.call('bequeath', record, this.line(line));
      this.#finishWalk(agent);
    }
  }

  #finishWalk(agent: number): void {
    do this.walkOn(agent);
    while (this.walking[agent] === true);
  }

  #restore(agent: number, line: number): void {
    const entry = this.entry(agent, line);
    this.twins.put32(entry + L.ENTRY_SEM, this.line(line));
    this.twins.put32(entry + L.ENTRY_TAG, this.office(line).tag);
    while (this.call('restore', this.at(agent), entry) === RACED);
    this.#finishWalk(agent);
    this.twins.put64(entry + L.ENTRY_SINCE, 0n);
  }

  /** For a moment the words say that as many are there as can be counted. */
  #crowd(agent: number): void {
    const record = this.at(agent);
    const { block, tag, retired } = this.office(READERS);
    const [reader, writer] = [this.entry(agent, READERS), this.entry(agent, WRITERS)];
    this.#whileItSays(this.line(RECURSIVE) + L.DEPTH, BigInt(MOST_DEPTH - 1), 32, () => {
      const mutex = this.office(RECURSIVE);
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
      const owner = words.load64(this.line(RECURSIVE) + L.OFFICE);
      act();
      // Who was not its owner may be it now, at the surface.
      this.twins.put32(word, words.load64(this.line(RECURSIVE) + L.OFFICE) === owner ? before : 0);
    } else {
      const before = words.load64(word);
      this.twins.put64(word, BigInt.asIntN(64, value));
      act();
      this.twins.put64(word, before);
    }
  }

  /** What is known of owners that died changes, as it does by the hands of heirs. */
  #health(): void {
    const office = this.office(this.random.pick([MUTEX, RECURSIVE, READERS]));
    const health = this.random.chance(60) ? CONSISTENT : this.random.pick([ORPHANED, UNRECOVERABLE]);
    if (!office.retired) this.twins.put32(office.block + L.HEALTH, health);
  }

  /** Puts another in the place of a retired one, once nobody waits there. */
  #replace(agent: number, index: number): void {
    const lines = index === READERS ? [READERS, WRITERS] : [index];
    const waiter = this.elements.find((element) => lines.includes(element.sem) && element.waiting && element.owner !== undefined);
    const office = this.office(index);
    if (waiter === undefined && !this.walking.includes(true)) {
      this.call('freeBlock', office.block);
      for (let owner = 0; owner < AGENTS; owner++) for (const line of lines) this.#forget(owner, line);
      this.offices[index] = this.create(agent, index);
    } else if (waiter?.owner === agent && this.random.chance(70)) {
      const entry = this.entry(agent, waiter.sem);
      if (this.random.chance(50)) this.settle(waiter, this.call('poll', waiter.at, entry));
      else this.#leave(agent, waiter, entry);
    } else {
      this.walking[agent] = true;
    }
  }

  #forget(agent: number, line: number): void {
    const entry = this.entry(agent, line);
    if (entry !== 0) this.twins.put64(entry + L.ENTRY_HELD, 0n);
  }

}
