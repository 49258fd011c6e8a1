// Random steps at mutexes: agents that lock, unlock, wait, cancel, die and are recovered. During the walk of one agent
// the others continue.

import type { Random } from '@sluice/harness';
import * as L from '../../../core/src/kernel/layout.ts';
import { RACED } from '../../../core/src/kernel/states.ts';
import { countLines, fixtureBytesUsed, type Plan } from '../../../core/test/support/block-fixture.ts';
import { AGENTS } from '../../../core/test/support/kernel-players.ts';
import { LinePlayers, type LineNames } from '../../../core/test/support/line-players.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import { DEPTH, ENQUEUE_WITH_SPARE, MAX_DEPTH } from '../../src/kernel/layout.ts';
import { MUTEX as MUTEX_KIND, RECURSIVE_MUTEX } from '../../src/kinds.ts';

const LINE = { flags: (1 << L.OWNERS_AT) | L.FLAG_OWNED };
const TURNS = { flags: LINE.flags | L.FLAG_TURNS };
const PLANS: readonly Plan[] = [
  { kind: MUTEX_KIND.code, lines: [TURNS] },
  { kind: RECURSIVE_MUTEX.code, lines: [LINE] },
];
const MUTEX = 0;
const RECURSIVE = 1;
const LINES = countLines(PLANS);

const NAMES: LineNames = {
  park: 'parkMutex',
  poll: 'pollMutex',
  cancel: 'cancelMutexWait',
  restore: 'restore',
  releaseForDeadOwner: 'releaseMutexForDeadOwner',
};
const LIKE = new Map([
  ['unrelockMutex', 'unlockMutex'],
  ['makeMutexDue', 'unlockMutex'],
  ['parkMutex', 'park'],
  ['pollMutex', 'poll'],
  ['cancelMutexWait', 'cancelWait'],
  ['releaseMutexForDeadOwner', 'releaseForDeadOwner'],
]);

/** The largest number of bytes that the driver uses. */
export function mutexBytesUsed(heap: number): number {
  return fixtureBytesUsed(heap, LINES);
}

export class MutexDriver extends LinePlayers {
  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    super(twins, random, coverage, heap, ticket, PLANS);
  }

  /** Performs one random step of one random agent. */
  step(): void {
    const agent = this.comesNext();
    if (agent === undefined) return;
    const kind = this.random.below(100);
    if (kind < 40) this.goOnWaiting(agent);
    else if (kind < 68) this.#mutex(agent);
    else if (kind < 92) this.#recursive(agent);
    else if (kind < 94) this.#recover(agent);
    else if (kind < 96) this.#goDeep(agent);
    else if (kind < 98) this.changeHealth([MUTEX, RECURSIVE]);
    else if (kind < 99)
      this.call('wakeEarly', this.at(agent), this.line(this.random.below(LINES)), this.random.between(1, 3));
    else if (this.mayRetire) this.retire(agent, this.random.below(PLANS.length));
  }

  protected override namesAt(): LineNames {
    return NAMES;
  }

  protected override likeStep(step: string): string {
    return LIKE.get(step) ?? step;
  }

  #mutex(agent: number): void {
    const { block, ...office } = this.office(MUTEX);
    const [tag, id, record] = [this.tag({ block, ...office }), agent + 1, this.at(agent)];
    const kind = this.random.below(10);
    if (kind < 2) this.call('lockMutex', block, tag, id);
    else if (kind < 6)
      this.visit(agent, MUTEX, 'enqueueAtMutex', block, tag, record, this.#mayWait(), this.#seen(block));
    else if (kind === 9 || this.call('unlockMutex', block, tag, id) === RACED)
      this.#pass(agent, block, tag, record, id);
  }

  #mayWait(): number {
    return this.random.chance(50) ? ENQUEUE_WITH_SPARE : this.mayWait();
  }

  /** Returns what an agent has seen of the turn: a random earlier state, or none at its first visit. */
  #seen(block: number): number {
    return this.random.chance(50) ? L.NOT_SEEN : this.twins.words.get32(block + L.TURN);
  }

  /** Counts passes, as an owner does, or ends the turn, as an impatient successor does. */
  #pass(agent: number, block: number, tag: number, record: number, id: number): void {
    if (this.random.chance(50) && this.leaves(agent, 'passMutexInOrder', block, tag, record, id) !== RACED) return;
    if (!this.offices.some((office) => office.block === block && office.retired))
      this.twins.put32(block + L.TURN, (id << L.TURN_OF) | this.random.below(3));
    this.leaves(agent, 'handOverMutex', block, record, id, this.random.chance(80) ? 0 : 1);
    for (const { at } of this.waits(this.random.below(AGENTS))) this.call('makeMutexDue', at);
  }

  #recursive(agent: number): void {
    const { block, ...office } = this.office(RECURSIVE);
    const [tag, id, record] = [this.tag({ block, ...office }), agent + 1, this.at(agent)];
    const kind = this.random.below(10);
    if (kind < 4) this.call('relockMutex', block, tag, id);
    else if (kind < 6)
      this.visit(agent, RECURSIVE, 'enqueueAtMutex', block, tag, record, this.#mayWait(), this.#seen(block));
    else if (this.call('unrelockMutex', block, tag, id) === RACED) this.#pass(agent, block, tag, record, id);
  }

  /** Performs the recovery steps for waits and owned mutexes, while the agent stays alive. */
  #recover(agent: number): void {
    if (this.random.chance(70)) this.cancelAllDead(agent, () => 0);
    for (const line of [MUTEX, RECURSIVE]) this.releaseForDeadOwner(agent, line);
  }

  /** Calls `relockMutex` while the recursive mutex is at its maximum depth less one. */
  #goDeep(agent: number): void {
    const { block, tag, retired } = this.office(RECURSIVE);
    if (retired) return;
    const { words } = this.twins;
    const [depth, office] = [words.get32(block + DEPTH), words.load64(block + L.OFFICE)];
    this.twins.put32(block + DEPTH, MAX_DEPTH - 1);
    this.call('relockMutex', block, tag, agent + 1);
    // An agent that did not own the mutex before may own it now, at depth 0.
    this.twins.put32(block + DEPTH, words.load64(block + L.OFFICE) === office ? depth : 0);
  }
}
