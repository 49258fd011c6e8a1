// Random steps at conditions and their locks: agents that wait, notify, move waiters, cancel, die and are recovered.
// During the walk of one agent the others continue.

import type { Random } from '@sluice/harness';
import * as L from '../../../../core/src/kernel/layout.ts';
import { TAKEN } from '../../../../core/src/kernel/states.ts';
import { countLines, fixtureBytesUsed, type Plan } from '../../../../core/test/support/block-fixture.ts';
import { LinePlayers, type LineNames } from '../../../../core/test/support/line-players.ts';
import type { Twins } from '../../../../core/test/support/twins.ts';
import { MUTEX } from '../../../src/kinds.ts';
import { RW_LOCK } from '../../../../rw-lock/src/kinds.ts';
import { LOCK, LOCK_TAG } from '../../../src/condition/kernel/layout.ts';
import { CONDITION } from '../../../src/condition/kinds.ts';

const CONDITION_PLAN: Plan = { kind: CONDITION.code, lines: [{ flags: L.FLAG_COUNTS_WAITS, noted: true }] };
const PLANS: readonly Plan[] = [
  { kind: MUTEX.code, lines: [{ flags: (1 << L.OWNERS_AT) | L.FLAG_OWNED }] },
  CONDITION_PLAN,
  {
    kind: RW_LOCK.code,
    lines: [
      { flags: L.FLAG_SHARED | L.FLAG_OWNED | L.FLAG_RECOVERY, noted: true },
      { flags: L.FLAG_OWNED | L.FLAG_RECOVERY, noted: true },
    ],
  },
  CONDITION_PLAN,
];
const LINES = countLines(PLANS);

/** A lock and its condition: the line in which the lock's waiters wait, the plans, and the step that moves waiters. */
interface Pair {
  readonly line: number;
  readonly condition: number;
  readonly plans: readonly [lock: number, condition: number];
  readonly move: string;
}
const OF_MUTEX: Pair = { line: 0, condition: 1, plans: [0, 1], move: 'moveToMutex' };
const OF_WRITER: Pair = { line: 3, condition: 4, plans: [2, 3], move: 'moveToWriter' };
const PAIRS = [OF_MUTEX, OF_WRITER];

const MUTEX_NAMES: LineNames = {
  park: 'parkMutex',
  poll: 'pollMutex',
  cancel: 'cancelMutexWait',
  restore: 'restore',
  releaseForDeadOwner: 'releaseMutexForDeadOwner',
};
const WRITER_NAMES: LineNames = {
  park: 'parkWriter',
  poll: 'pollWriter',
  cancel: 'cancelWriterWait',
  restore: 'restoreWriter',
  releaseForDeadOwner: 'releaseForDeadOwner',
};
const CONDITION_NAMES: LineNames = {
  park: 'park',
  poll: 'pollCondition',
  cancel: 'cancelConditionWait',
  restore: 'restoreNotifications',
  releaseForDeadOwner: 'releaseForDeadOwner',
};
const LIKE = new Map([
  ...[MUTEX_NAMES, WRITER_NAMES, CONDITION_NAMES].flatMap(({ park, poll, cancel, restore }) => [
    [park, 'park'] as const,
    [poll, 'poll'] as const,
    [cancel, 'cancelWait'] as const,
    [restore, 'restore'] as const,
  ]),
  ['releaseMutexForDeadOwner', 'releaseForDeadOwner'] as const,
  ['notifyCondition', 'release'] as const,
  ['moveToMutex', 'cancelWait'] as const,
  ['moveToWriter', 'cancelWait'] as const,
  ['enqueueAtCondition', 'enqueueAtMutex'] as const,
  ['enqueueWriter', 'enqueueAtMutex'] as const,
  ['handOverWriter', 'release'] as const,
]);

/** The largest number of bytes that the driver uses. */
export function conditionBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, LINES);
}

export class ConditionDriver extends LinePlayers {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    super(twins, random, coverage, heap, ticket, PLANS);
  }

  /** Performs one random step of one random agent. */
  step(): void {
    const agent = this.random.below(4);
    // Before a walk continues, the first waiter of its chain may be moved.
    if (this.walking[agent] === true && this.random.chance(60)) {
      this.#move(agent, this.random.pick(PAIRS));
      return;
    }
    const next = this.comesNext();
    if (next === undefined) return;
    const pair = this.random.pick(PAIRS);
    const kind = this.random.below(100);
    if (kind < 40) this.goOnWaiting(next);
    else if (kind < 65) this.#condition(next, pair);
    else if (kind < 94) this.#lock(next, pair);
    else if (kind < 97) this.#recover(next, pair);
    else if (kind < 99) this.call('wakeEarly', this.at(next), this.line(pair.condition), this.random.between(1, 3));
    else if (this.mayRetire) this.retire(next, this.random.pick(pair.plans));
  }

  #condition(agent: number, { condition, line }: Pair): void {
    const office = this.office(condition);
    const [tag, record, entry] = [this.tag(office), this.at(agent), this.entry(agent, condition)];
    this.#tie(condition, line);
    this.twins.put32(entry + L.ENTRY_LINE, office.block);
    this.twins.put32(entry + L.ENTRY_TAG, office.tag);
    if (this.random.chance(50)) {
      this.leaves(agent, 'notifyCondition', office.block, tag, record);
      return;
    }
    const element = this.element(agent);
    if (element === undefined) return;
    this.twins.put32(element.at + L.MODE, this.random.chance(80) ? L.MODE_BLOCKING : L.MODE_ASYNC);
    this.visit(agent, condition, 'enqueueAtCondition', office.block, tag, record, entry);
  }

  /** Mostly a visit to the present lock, otherwise to a freed one. */
  #tie(condition: number, line: number): void {
    const [office, lock] = [this.office(condition), this.office(line)];
    if (office.retired || this.random.chance(3)) return;
    this.twins.put32(office.block + LOCK, lock.block);
    this.twins.put32(office.block + LOCK_TAG, lock.tag);
  }

  #move(agent: number, { condition, line, move }: Pair): void {
    const from = this.line(condition);
    const { words } = this.twins;
    if (this.call(move, from, this.at(agent), words.get32(from + LOCK), words.get32(from + LOCK_TAG)) !== TAKEN) return;
    for (const element of this.elements) {
      if (
        element.sem !== condition ||
        !element.waiting ||
        this.twins.words.get32(element.at + L.LINE) !== this.line(line)
      )
        continue;
      element.sem = line;
      const { owner } = element;
      if (owner === undefined || owner < 0) continue;
      const entry = this.entry(owner, condition);
      if (this.random.chance(30)) this.call('pollCondition', element.at, entry);
      if (this.random.chance(10)) this.call('cancelConditionWait', this.at(owner), element.at, entry, 0);
      if (this.random.chance(10)) this.callForDead('cancelConditionWait', this.at(owner), element.at, entry, 1);
    }
  }

  #lock(agent: number, { line, plans: [plan] }: Pair): void {
    const office = this.office(line);
    const [tag, record, entry] = [this.tag(office), this.at(agent), this.entry(agent, line)];
    const leaves = this.random.chance(50);
    if (plan === 0) {
      if (leaves) this.leaves(agent, 'handOverMutex', office.block, record, agent + 1, 0);
      else this.visit(agent, line, 'enqueueAtMutex', office.block, tag, record, this.mayWait(), L.NOT_SEEN);
    } else if (leaves) this.leaves(agent, 'handOverWriter', office.block, record, entry, 0);
    else this.visit(agent, line, 'enqueueWriter', office.block, tag, record, entry, this.mayWait(), L.NOT_SEEN);
  }

  protected override entered(agent: number, line: number): void {
    if (line !== OF_MUTEX.condition && line !== OF_WRITER.condition) return;
    const entry = this.entry(agent, line);
    if (this.random.chance(80) && this.twins.words.get64(entry + L.ENTRY_HELD) > 0n)
      this.call('endConditionWait', entry);
  }

  protected override namesAt(line: number): LineNames {
    if (line === OF_MUTEX.line) return MUTEX_NAMES;
    return line === OF_WRITER.line ? WRITER_NAMES : CONDITION_NAMES;
  }

  protected override likeStep(step: string): string {
    return LIKE.get(step) ?? step;
  }

  /** Performs the recovery steps for waits and notifications, while the agent stays alive. */
  #recover(agent: number, { condition, line }: Pair): void {
    this.cancelAllDead(agent, (at) => this.entry(agent, at));
    this.restore(agent, condition);
    if (line === OF_MUTEX.line) this.releaseForDeadOwner(agent, line);
    else this.restore(agent, line);
  }
}
