// Random steps at a bounded buffer: agents arrive on both sides, enqueue, take the lock, write and read, cancel, close,
// die and are recovered. While one agent is within a walk, or owns a side's lock, the others continue. After every step
// the accounts must balance, in addition to the comparison of the twins.

import type { Random } from '@sluice/harness';
import * as L from '../../../core/src/kernel/layout.ts';
import { IDLE, RACED, SHUT, TAKEN, WAITING } from '../../../core/src/kernel/states.ts';
import { low32, pair } from '../../../core/src/kernel/words.ts';
import { countLines, fixtureBytesUsed, type Line, type Plan } from '../../../core/test/support/block-fixture.ts';
import { AGENTS } from '../../../core/test/support/kernel-players.ts';
import { LinePlayers, OF_THE_CORE, type LineNames } from '../../../core/test/support/line-players.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import { MIN_UNITS, NEEDED, POSITION, RING_BYTES, ROOM, SEEN } from '../../src/kernel/layout.ts';
import { BESIDE, SHORT, WALK } from '../../src/kernel/outcomes.ts';
import { BUFFER } from '../../src/sides/kinds.ts';
import { invariantFault, positionsOf, type BufferAccounts } from './buffer-invariants.ts';

const UNITS = 5;
/** The largest number of units that a value takes. */
const MAX_UNITS = 3;

/** Positions start where the counters do, so that they wrap, too. */
function side(room: number): Line {
  return {
    flags: 0,
    fill: (twins, line, ticket) => {
      const start = pair(low32(ticket), low32(ticket));
      for (const word of [POSITION, SEEN]) twins.put64(line + word, start);
      twins.put32(line + ROOM, room);
    },
  };
}

const LINE: Line = { flags: L.FLAG_RECOVERY | L.FLAG_WANTS, noted: true };
const MORE: Line = { flags: L.FLAG_WANTS };
/** Less than some values take: so the head of a line may find too few units. */
const FIRST: Line = {
  flags: 0b110 << L.OWNERS_AT,
  fill: (twins, line) => {
    twins.put32(line + MIN_UNITS, 1);
    twins.put32(line + RING_BYTES, 32);
  },
};
const PLANS: readonly Plan[] = [
  { kind: BUFFER.code, lines: [FIRST, side(UNITS), side(0), LINE, LINE, MORE, MORE], behind: L.BLOCK_LINE },
];
const PRODUCERS = 1;
const CONSUMERS = 2;
const SIDES = [PRODUCERS, CONSUMERS];
/** From a side's line to the line in which its agents wait. */
const INNER_LINES = 2;
/** From a side's line to the line in which the head of the line waits for more units. */
const MORE_BEHIND = 4;
const OF_LOCKS = {
  park: 'parkSideLock',
  poll: 'pollSideLock',
  cancel: 'cancelSideLockWait',
  restore: 'restore',
  releaseForDeadOwner: 'releaseSideForDeadOwner',
} satisfies LineNames;
/** Results of the core's steps that mean the same. */
const LIKE = new Map([
  ['parkSideLock', 'park'],
  ['enqueueAtSide', 'enqueueAtMutex'],
  ['enqueueAtSideLock', 'enqueueAtMutex'],
  ...['commitSide', 'closeSides', 'releaseSideForDeadOwner'].map((step) => [step, 'release'] as const),
  ['serveSides', 'walk'],
]);
/** The number of waiters in the word of a side's lock. */
const WAITERS_BIT = 35n;

/** An agent that owns the lock of a side. */
interface Inside {
  readonly side: number;
  /** The units that are there for the agent; 0: none. */
  units: number;
  /** 1: the agent is the head of the line, and admits the next head when it leaves. */
  readonly isHead: number;
}

/** The largest number of bytes that the driver uses. */
export function bufferBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, countLines(PLANS));
}

export class BufferDriver extends LinePlayers {
  readonly #inside: (Inside | undefined)[] = Array.from({ length: AGENTS }, () => undefined);
  /** The units for which each agent was queued last. */
  readonly #wants: number[] = Array.from({ length: AGENTS }, () => 1);
  /** Units of each value in the buffer. */
  #values: number[] = [];

  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    super(twins, random, coverage, heap, ticket, PLANS);
  }

  protected override namesAt(line: number): LineNames {
    return SIDES.includes(line) ? OF_LOCKS : OF_THE_CORE;
  }

  protected override describe(step: string, result: number): string {
    if (step === 'countSideUnits') return result > 0 ? 'some' : 'none';
    if (step === 'passInt32' && result >= 0) return result < WALK ? 'value' : 'value and walk';
    if (step === 'enterSide' || step === 'lookAtSide' || step === 'passInt32') {
      if (result >= 0) return 'position';
      if (result === SHORT) return 'short';
      if (result === BESIDE) return 'beside';
    }
    return super.describe(LIKE.get(step) ?? step, result);
  }

  /** Runs the core's walk, then the kind's, until both are finished. */
  protected override walkOn(agent: number): void {
    super.walkOn(agent);
    if (this.walking[agent] !== true) this.walking[agent] = this.call('serveSides', this.at(agent)) !== IDLE;
  }

  /** Runs one random step of one random agent. */
  step(): void {
    this.#act(this.random.below(AGENTS));
    const { block, retired } = this.office(0);
    const fault = retired ? undefined : invariantFault(this.twins.words, block, this.#readAccounts());
    if (fault !== undefined) this.twins.fail(`after step ${this.steps}: ${fault}`);
  }

  /** The agent's own records, as no pool has them. */
  #readAccounts(): BufferAccounts {
    const agents = Array.from({ length: AGENTS }, (_, agent) => agent);
    const held = (sem: number): bigint => {
      const line = SIDES.find((each) => this.line(each + INNER_LINES) === sem) ?? 0;
      return agents.reduce((sum, agent) => sum + BigInt(this.#held(agent, line)), 0n);
    };
    return { elements: this.elements.map(({ at }) => at), held, values: this.#values };
  }

  #act(agent: number): void {
    if (this.walking[agent] === true) return this.walkOn(agent);
    const inside = this.#inside[agent];
    if (inside !== undefined) return this.#actInside(agent, inside);
    if (this.office(0).retired) {
      if (this.random.chance(25)) this.#replace(agent);
      else this.goOnWaiting(agent);
      return;
    }
    const kind = this.random.below(100);
    const line = this.random.pick(SIDES);
    if (kind < 40) this.goOnWaiting(agent);
    else if (kind < 90) this.#come(agent, line);
    else if (kind < 93) this.#recover(agent);
    else if (kind < 95)
      this.call(
        'wakeEarly',
        this.at(agent),
        this.line(line + this.random.pick([0, INNER_LINES])),
        this.random.between(1, 3),
      );
    else if (kind < 96) this.halfLeave(agent, SIDES);
    else if (kind < 98) this.#comeForTooMany(agent);
    else if (this.#isClosed && this.random.chance(30)) this.#retire(agent);
  }

  get #isClosed(): boolean {
    return this.twins.words.load32(this.line(PRODUCERS + INNER_LINES) + L.BLOCK_TAG) < 0;
  }

  #held(agent: number, line: number): number {
    return Number(this.twins.words.get64(this.entry(agent, line + INNER_LINES) + L.ENTRY_HELD));
  }

  #come(agent: number, line: number): void {
    const [block, id, { tag }] = [this.line(line), agent + 1, this.office(line)];
    const kind = this.random.below(10);
    if (this.#held(agent, line) > 0) return this.#comeAsHead(agent, line);
    const units = line === PRODUCERS ? this.random.between(1, MAX_UNITS) : 1;
    if (kind < 6) {
      const seen = this.random.chance(40)
        ? this.#pass(agent, line)
        : this.call('enterSide', block, this.tag(this.office(line)), id, units);
      if (seen === undefined) return;
      if (seen >= 0) this.#inside[agent] = { side: line, units, isHead: 0 };
      else if (seen === SHORT || seen === SHUT) this.#inside[agent] = { side: line, units: 0, isHead: 0 };
      else if ((seen === WAITING || seen === BESIDE) && this.random.chance(70)) this.#enqueueAtSide(agent, line, units);
      else if (seen === RACED) this.#takeDoor(agent, line);
    } else if (kind < 7) this.#enqueueAtSide(agent, line, units);
    else if (kind < 9) this.#takeDoor(agent, line);
    else if (this.call('enqueueAtSideLock', block, tag, this.at(agent), 0) === TAKEN) this.entered(agent, line);
  }

  /** Pushes or pops one int32. Returns the result of `tryEnter` if that failed, or `undefined` if it is done. */
  #pass(agent: number, line: number): number | undefined {
    const [block, tag] = [this.line(line), this.tag(this.office(line))];
    // Not a part of a larger value.
    if (line === CONSUMERS && (this.#values[0] ?? 1) > 1) return undefined;
    const value = this.random.below(2 ** 32) | 0;
    const seen = this.call('passInt32', block, tag, this.at(agent), value);
    if (seen < 0) return seen;
    if (line === CONSUMERS) this.#values.shift();
    else {
      if ((seen | 0) !== value) this.twins.fail(`${value} was pushed, but the step returned ${seen}`);
      this.#values.push(1);
    }
    if (seen >= WALK) this.walking[agent] = true;
    return undefined;
  }

  #enqueueAtSide(agent: number, line: number, units: number): void {
    const sem = line + INNER_LINES;
    this.#wants[agent] = units;
    this.visit(
      agent,
      sem,
      'enqueueAtSide',
      this.line(line),
      this.tag(this.office(sem)),
      this.at(agent),
      this.entry(agent, sem),
      units,
    );
    this.walking[agent] = true;
  }

  #takeDoor(agent: number, line: number): void {
    const { tag } = this.office(line);
    const before = this.#ownerOf(line);
    this.visit(agent, line, 'enqueueAtSideLock', this.line(line), tag, this.at(agent), this.mayWait());
    if (before !== agent + 1 && this.#ownerOf(line) === agent + 1) this.entered(agent, line);
  }

  /** Waits for more units than there are. Only the owner of the lock may check: the check may take back the permit. */
  #comeForTooMany(agent: number): void {
    const block = this.line(PRODUCERS);
    if (this.call('enqueueAtSideLock', block, this.office(PRODUCERS).tag, this.at(agent), 0) !== TAKEN) return;
    this.call('lookAtSide', block, this.tag(this.office(PRODUCERS)), this.at(agent), UNITS + 1, 0);
    this.#inside[agent] = { side: PRODUCERS, units: 0, isHead: 0 };
  }

  #ownerOf(line: number): number {
    return low32(this.twins.words.load64(this.line(line) + L.OFFICE));
  }

  /** Takes the lock, waits for more units, or gives up the head of the line. */
  #comeAsHead(agent: number, line: number): void {
    const [sem, more] = [line + INNER_LINES, line + MORE_BEHIND];
    const needed = this.line(sem) + NEEDED;
    if (this.waits(agent).some((wait) => wait.sem === more)) return this.goOnWaiting(agent);
    if (this.twins.words.load32(needed) !== 0 && this.random.chance(60)) {
      this.visit(agent, more, 'acquire', this.line(more), this.tag(this.office(line)), 0, 1, this.at(agent));
      return;
    }
    if (this.random.chance(40)) return this.#look(agent, line, this.#unitsWith(agent, line), 1);
    if (this.random.chance(70)) return this.#takeDoor(agent, line);
    this.twins.put32(needed, 0);
    this.leaves(agent, 'release', this.line(sem), this.office(line).tag, this.at(agent), this.entry(agent, sem), 1);
  }

  /** Returns the units for which the head of the line arrived. */
  #unitsWith(agent: number, line: number): number {
    return line === PRODUCERS ? (this.#wants[agent] ?? 1) : 1;
  }

  /** Owns the lock now, after a wait for it or a new arrival. */
  protected override entered(agent: number, line: number): void {
    if (!SIDES.includes(line) || this.office(line).retired) return;
    const isHead = Math.min(1, this.#held(agent, line));
    const units = isHead === 1 ? this.#unitsWith(agent, line) : 1;
    this.#look(agent, line, units, isHead);
  }

  /** It looks: as the head it takes the lock first, unless it owns it. */
  #look(agent: number, line: number, units: number, isHead: number): void {
    const seen = this.call('lookAtSide', this.line(line), this.tag(this.office(line)), this.at(agent), units, isHead);
    if (seen === RACED) return;
    const isShort = isHead === 1 && seen === SHORT;
    if (isShort) this.twins.put32(this.line(line + INNER_LINES) + NEEDED, units);
    this.#inside[agent] = { side: line, units: seen >= 0 ? units : 0, isHead: isShort ? 0 : isHead };
  }

  #actInside(agent: number, inside: Inside): void {
    const kind = this.random.below(20);
    const address = this.line(inside.side);
    if (kind < 8) return;
    if (kind < 10) {
      // An agent that arrives for many values takes all that are there.
      if (inside.units > 0) inside.units = this.call('countSideUnits', address, inside.units);
    } else if (kind < 11) this.#recover(agent);
    else if (kind < 12 && inside.side === PRODUCERS && inside.isHead === 0 && this.random.chance(30)) {
      this.#inside[agent] = undefined;
      this.call('closeSides', address, this.at(agent));
      this.walking[agent] = true;
    } else this.#commit(agent, inside);
  }

  /** Writes one value, or reads as many as there are. */
  #commit(agent: number, { side: line, units, isHead }: Inside): void {
    const [room, values] = line === PRODUCERS ? this.#write(units) : this.#read(units);
    this.#inside[agent] = undefined;
    this.leaves(
      agent,
      'commitSide',
      this.line(line),
      this.at(agent),
      this.entry(agent, line + INNER_LINES),
      room,
      values,
      isHead,
    );
  }

  #write(units: number): [room: number, values: number] {
    if (units === 0 || this.random.chance(10)) return [0, 0];
    const [room, isSplit] = [Math.min(units, UNITS), this.random.chance(30) && units > 1];
    const parts = isSplit ? [1, room - 1] : [room];
    this.#values.push(...parts);
    return [room, parts.length];
  }

  #read(units: number): [room: number, values: number] {
    const taken = this.random.chance(10) ? [] : this.#values.splice(0, units);
    return [taken.reduce((sum, part) => sum + part, 0), taken.length];
  }

  protected override countOut(line: number): boolean {
    return this.countOutAt(line, WAITERS_BIT);
  }

  /** Runs the recovery's steps on waits, permits and locks, although the agent is alive. */
  #recover(agent: number): void {
    this.#inside[agent] = undefined;
    this.cancelAllDead(agent, (line) => this.entry(agent, line));
    for (const line of SIDES) this.restore(agent, line + INNER_LINES);
    for (const line of SIDES) this.releaseForDeadOwner(agent, line);
  }

  /** As `free`: takes both locks and keeps them. */
  #retire(agent: number): void {
    const { tag } = this.office(0);
    for (const line of SIDES) if (this.#ownerOf(line) !== 0) return;
    for (const line of SIDES) this.call('enqueueAtSideLock', this.line(line), tag, this.at(agent), 0);
    this.retire(agent, 0);
  }

  #replace(agent: number): void {
    if (!this.replace(agent, 0)) return;
    this.#values = [];
    const { block } = this.office(0);
    if (positionsOf(this.twins.words, block).values !== 0) throw new Error('a new buffer is not empty');
  }
}
