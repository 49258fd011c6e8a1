// Performs random steps at read-write locks: agents read, write, wait, cancel, die and are recovered. During the walk
// of one agent the others continue.

import type { Random } from '@sluice/harness';
import * as L from '../../../core/src/kernel/layout.ts';
import { RACED } from '../../../core/src/kernel/states.ts';
import { countLines, fixtureBytesUsed, type Plan } from '../../../core/test/support/block-fixture.ts';
import { AGENTS } from '../../../core/test/support/kernel-players.ts';
import { LinePlayers, type LineNames } from '../../../core/test/support/line-players.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import { RW_LOCK } from '../../src/kinds.ts';

const OWNED_RECORDED = L.FLAG_OWNED | L.FLAG_RECOVERY;
const PLANS: readonly Plan[] = [
  {
    kind: RW_LOCK.code,
    lines: [
      { flags: L.FLAG_SHARED | L.FLAG_TURNS | OWNED_RECORDED, noted: true },
      { flags: OWNED_RECORDED, noted: true },
    ],
  },
];
const READERS = 0;
const WRITERS = 1;
const LINES = countLines(PLANS);

const NAMES_AT: readonly LineNames[] = ['Reader', 'Writer'].map((side) => ({
  park: side === 'Writer' ? 'parkWriter' : 'park',
  poll: `poll${side}`,
  cancel: `cancel${side}Wait`,
  restore: `restore${side}`,
  releaseForDeadOwner: 'releaseForDeadOwner',
}));
const LIKE = new Map([
  ...NAMES_AT.flatMap(({ poll, cancel, restore }) => [
    [poll, 'poll'] as const,
    [cancel, 'cancelWait'] as const,
    [restore, 'restore'] as const,
  ]),
  ...['unlockReader', 'unlockWriter', 'handOverWriter', 'makeWriterDue', 'downgradeWriter'].map(
    (step) => [step, 'release'] as const,
  ),
  ['parkWriter', 'park'] as const,
  ...['enqueueReader', 'enqueueWriter'].map((step) => [step, 'enqueueAtMutex'] as const),
]);

const MOST_21 = 0x1fffffn;
const MOST_17 = 0x1ffffn;

/** The largest number of bytes that the driver uses. */
export function rwBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, LINES);
}

export class RwDriver extends LinePlayers {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    super(twins, random, coverage, heap, ticket, PLANS);
  }

  /** Performs one random step of one random agent. */
  step(): void {
    const agent = this.comesNext();
    if (agent === undefined) return;
    const kind = this.random.below(100);
    if (kind < 40) this.goOnWaiting(agent);
    else if (kind < 65) this.#read(agent);
    else if (kind < 90) this.#write(agent);
    else if (kind < 93) this.#recover(agent);
    else if (kind < 95) this.#crowd(agent);
    else if (kind < 97) this.changeHealth([READERS]);
    else if (kind < 99)
      this.call('wakeEarly', this.at(agent), this.line(this.random.below(LINES)), this.random.between(1, 3));
    else if (this.mayRetire) this.retire(agent, 0);
  }

  protected override namesAt(line: number): LineNames {
    const names = NAMES_AT[line];
    if (names === undefined) throw new Error('no such line');
    return names;
  }

  protected override likeStep(step: string): string {
    return LIKE.get(step) ?? step;
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
    if (kind < 2) this.call('lockWriter', office.block, tag, agent + 1, entry);
    else if (kind < 5)
      this.visit(
        agent,
        WRITERS,
        'enqueueWriter',
        office.block,
        tag,
        record,
        entry,
        this.mayWait(),
        this.#seen(office.block),
      );
    else if (kind < 8 && this.call('unlockWriter', office.block, tag, entry) === RACED) this.#handOverWriter(agent);
    else if (kind === 8) this.#handOverWriter(agent);
    else if (kind === 9)
      this.leaves(agent, 'downgradeWriter', office.block, tag, record, entry, this.entry(agent, READERS));
  }

  #handOverWriter(agent: number): void {
    const { block, retired } = this.office(READERS);
    // Count passes, as a writer does, or end the turn, as an impatient successor does.
    if (!retired) this.twins.put32(block + L.TURN, ((agent + 1) << L.TURN_OF) | this.random.below(3));
    const ends = this.random.chance(80) ? 0 : 1;
    this.leaves(agent, 'handOverWriter', this.line(READERS), this.at(agent), this.entry(agent, WRITERS), ends);
    for (const { at } of this.waits(this.random.below(AGENTS))) this.call('makeWriterDue', at);
  }

  /** Returns what an agent has seen of the turn: a random earlier state, or none at its first visit. */
  #seen(block: number): number {
    return this.random.chance(50) ? L.NOT_SEEN : this.twins.words.get32(block + L.TURN);
  }

  /** Performs the recovery steps for waits and held locks, while the agent stays alive. */
  #recover(agent: number): void {
    this.cancelAllDead(agent, (line) => this.entry(agent, line));
    for (const line of [READERS, WRITERS]) this.restore(agent, line);
  }

  /** Calls steps while the word says that the maximum is reached. */
  #crowd(agent: number): void {
    const record = this.at(agent);
    const { block, tag, retired } = this.office(READERS);
    const [reader, writer] = [this.entry(agent, READERS), this.entry(agent, WRITERS)];
    if (retired) return;
    this.#whileItSays(block, MOST_21, () => {
      this.call('lockReader', block, tag, reader);
      this.call('enqueueReader', block, tag, record, reader, 1);
    });
    this.#whileItSays(block, MOST_17 << 42n, () => this.call('enqueueWriter', block, tag, record, writer, 1, 0));
    this.#whileItSays(block, (MOST_21 << 21n) | (1n << 42n), () => {
      this.call('enqueueReader', block, tag, record, reader, 1);
      this.call('downgradeWriter', block, tag, record, writer, reader);
    });
  }

  #whileItSays(block: number, office: bigint, act: () => void): void {
    const before = this.twins.words.load64(block + L.OFFICE);
    this.twins.put64(block + L.OFFICE, BigInt.asIntN(64, office));
    act();
    this.twins.put64(block + L.OFFICE, before);
  }
}
