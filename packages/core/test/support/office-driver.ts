// Random protocol at box offices, at the level of steps: agents that lock, signal, read and write, wait, give up, die and are
// recovered. While one is in the middle of a walk the others go on.

import type { Random } from '@sluice/harness';
import * as L from '../../src/kernel/layout.ts';
import { MOST_DEPTH } from '../../src/kernel/states.ts';
import { RACED } from '../../src/kernel/states.ts';
import { LinePlayers } from './line-players.ts';
import { EVENT, LINES, MUTEX, OFFICE_PLANS, READERS, RECURSIVE, WRITERS } from './office-ground.ts';
import type { Twins } from './twins.ts';

const MOST_21 = 0x1fffffn;
/** Where those who wait are counted, in the word of a mutex. */
const WAITERS_BIT = 34n;

export class OfficeDriver extends LinePlayers {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    super(twins, random, coverage, heap, ticket, OFFICE_PLANS);
  }

  /** One random step of one random agent. */
  step(): void {
    const agent = this.comesNext();
    if (agent === undefined) return;
    const kind = this.random.below(100);
    if (kind < 35) this.#goOn(agent);
    else if (kind < 50) this.#mutex(agent);
    else if (kind < 62) this.#recursive(agent);
    else if (kind < 72) this.#event(agent);
    else if (kind < 82) this.#read(agent);
    else if (kind < 91) this.#write(agent);
    else if (kind < 93) this.#recover(agent);
    else if (kind < 95) this.#crowd(agent);
    else if (kind < 97) this.changeHealth([MUTEX, RECURSIVE, READERS]);
    else if (kind < 98) this.call('wakeEarly', this.at(agent), this.line(this.random.below(LINES)), this.random.between(1, 3));
    else if (kind < 99) this.halfLeave(agent, [MUTEX, RECURSIVE, EVENT]);
    else if (this.mayRetire) this.retire(agent, this.random.below(OFFICE_PLANS.length));
  }

  #goOn(agent: number): void {
    if (this.waits(agent).length > 0) this.goOnWaiting(agent);
    else this.#mutex(agent);
  }

  #mutex(agent: number): void {
    const { block, ...office } = this.office(MUTEX);
    const [tag, id, record] = [this.tag({ block, ...office }), agent + 1, this.at(agent)];
    const kind = this.random.below(10);
    if (kind < 2) this.call('lock', block, tag, id);
    else if (kind < 6) this.visit(agent, MUTEX, 'enqueueAtMutex', block, tag, record, this.mayWait());
    else if (kind < 9 && this.call('unlock', block, tag, id) === RACED) this.leaves(agent, 'handOver', block, record, id);
    else if (kind === 9) this.leaves(agent, 'handOver', block, record, id);
  }

  #recursive(agent: number): void {
    const { block, ...office } = this.office(RECURSIVE);
    const [tag, id, record] = [this.tag({ block, ...office }), agent + 1, this.at(agent)];
    const kind = this.random.below(10);
    if (kind < 4) this.call('relock', block, tag, id);
    else if (kind < 6) this.visit(agent, RECURSIVE, 'enqueueAtMutex', block, tag, record, this.mayWait());
    else if (this.call('unrelock', block, tag, id) === RACED) this.leaves(agent, 'handOver', block, record, id);
  }

  #event(agent: number): void {
    const office = this.office(EVENT);
    const [tag, record] = [this.tag(office), this.at(agent)];
    const kind = this.random.below(10);
    if (kind < 4) this.leaves(agent, 'signal', office.block, tag, record);
    else if (kind < 6) this.call('consume', office.block, tag);
    else this.visit(agent, EVENT, 'enqueueAtEvent', office.block, tag, record);
  }

  #read(agent: number): void {
    const office = this.office(READERS);
    const [tag, record, entry] = [this.tag(office), this.at(agent), this.entry(agent, READERS)];
    const kind = this.random.below(10);
    if (kind < 3) this.call('lockReader', office.block, tag, entry);
    else if (kind < 6) this.visit(agent, READERS, 'enqueueReader', office.block, tag, record, entry, this.mayWait());
    else this.leaves(agent, 'unlockReader', office.block, tag, record, entry);
  }

  #write(agent: number): void {
    const office = this.office(WRITERS);
    const [tag, record, entry] = [this.tag(office), this.at(agent), this.entry(agent, WRITERS)];
    const kind = this.random.below(10);
    if (kind < 2) this.call('lockWriter', office.block, tag, entry);
    else if (kind < 5) this.visit(agent, WRITERS, 'enqueueWriter', office.block, tag, record, entry, this.mayWait());
    else if (kind < 8 && this.call('unlockWriter', office.block, tag, entry) === RACED) this.#handOverWriter(agent);
    else if (kind === 8) this.#handOverWriter(agent);
    else if (kind === 9) this.leaves(agent, 'downgrade', office.block, tag, record, entry, this.entry(agent, READERS));
  }

  #handOverWriter(agent: number): void {
    this.leaves(agent, 'handOverWriter', this.line(READERS), this.at(agent), this.entry(agent, WRITERS));
  }

  protected override countOut(line: number): boolean {
    if (line !== EVENT) return this.countOutAt(line, WAITERS_BIT);
    const word = this.line(line) + L.OFFICE;
    const status = this.twins.words.load32(word);
    if (status < 0) this.twins.put32(word, status + 1);
    return status < 0;
  }

  /** What recovery does with waits and with what is held, while the agent lives on. */
  #recover(agent: number): void {
    if (this.random.chance(70)) {
      this.cancelAllDead(agent, (line) => this.entry(agent, line));
      for (const line of [EVENT, READERS, WRITERS]) this.restore(agent, line);
    }
    for (const line of [MUTEX, RECURSIVE]) this.releaseForDeadOwner(agent, line);
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
      this.call('enqueueReader', block, tag, record, reader, 1);
    });
    this.#whileItSays(block + L.OFFICE, MOST_21 << 42n, 64, () => this.call('enqueueWriter', block, tag, record, writer, 1));
    this.#whileItSays(block + L.OFFICE, (MOST_21 << 21n) | (1n << 42n), 64, () => {
      this.call('enqueueReader', block, tag, record, reader, 1);
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
}
