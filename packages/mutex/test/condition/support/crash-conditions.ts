// A condition for crash injection, with waiting tasks of a living agent and the victim's own instances.

import { expect } from 'vitest';
import { entries, records } from '../../../../core/src/memory/records.ts';
import { hasCode, type OwnerDiedError } from '../../../../core/src/index.ts';
import { DRAWN, GATE, HEADER_ELEMENT_POOL, LEAVING, OFFICE, LINE } from '../../../../core/src/kernel/layout.ts';
import { GRANTED, LINKED, PARKED, PROMISED, QUEUED } from '../../../../core/src/kernel/states.ts';
import type { Words } from '../../../../core/src/kernel/words.ts';
import { officeAt } from '../../../../core/test/support/at-rest.ts';
import type { Operation, Stage, Witness } from '../../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../../core/test/support/signal-by-hand.ts';
import { Condition, type ConditionLock } from '../../../src/index.ts';
import type { Opened, Sort } from './sorts.ts';

type Outcome = 'waits' | 'went' | 'left';

/** After a death within a step the memory may be damaged, and its words are not checked. */
export class ConditionShadows implements Witness {
  readonly lock: ConditionLock;
  readonly condition: Condition;
  readonly made: Opened;
  /** The number of notifications, by all agents, that found a waiter. */
  notified = 0;
  readonly #stage: Stage;
  readonly #shadows: { outcome: Outcome; readonly leave: () => void }[] = [];

  constructor(stage: Stage, made: Opened, condition: Condition) {
    this.#stage = stage;
    this.made = made;
    this.lock = made.lock;
    this.condition = condition;
  }

  /** Lets that many tasks wait. The lock must be free. */
  come(times = 1): void {
    for (let count = 0; count < times; count++) {
      const { signal, leave } = signalByHand();
      const shadow: { outcome: Outcome; leave: () => void } = { outcome: 'waits', leave };
      this.#shadows.push(shadow);
      if (!this.lock.tryLock()) throw new Error('The lock is not free.');
      this.condition.waitAsync({ signal, ref: false }).then(
        () => this.#end(shadow, 'went'),
        (failure: unknown) => this.#fail(shadow, failure),
      );
    }
  }

  notify(n = 1): void {
    this.notified += this.condition.notify(n);
  }

  leave(index: number): void {
    const shadow = this.#shadows[index];
    if (shadow === undefined) throw new Error('no such shadow');
    shadow.outcome = 'left';
    shadow.leave();
  }

  #end(shadow: { outcome: Outcome }, outcome: Outcome): void {
    if (shadow.outcome === 'waits') shadow.outcome = outcome;
    if (this.lock.owned) this.lock.unlock();
  }

  /** The heir of the victim was also notified. */
  #fail(shadow: { outcome: Outcome }, failure: unknown): void {
    if (!hasCode(failure, 'SLUICE_OWNER_DIED')) {
      this.#end(shadow, 'left');
      return;
    }
    (failure as OwnerDiedError).guard?.markConsistent();
    this.#end(shadow, 'went');
  }

  get went(): number {
    return this.#shadows.filter(({ outcome }) => outcome === 'went').length;
  }

  get waiting(): number {
    return this.#shadows.filter(({ outcome }) => outcome === 'waits').length;
  }

  /**
   * Returns the number of waits that will end with a notification. The victim's notifications pass to the waiters
   * behind it.
   */
  expected(words: Words, victim: number): readonly string[] {
    const { address } = this.condition.handle;
    const waits = waitsAt(words, address);
    const promised = waits.slice(0, waits.length - words.load32(address + OFFICE));
    const behind = waits.slice(promised.length);
    const lost = promised.filter(({ owner }) => owner === victim).length + this.#elsewhere(words, victim, waits);
    const others = behind.filter(({ owner }) => owner !== victim).length;
    const under = this.#onTheirWay(words, victim, waits);
    return [
      `${this.went + under + promised.filter(({ owner }) => owner !== victim).length + Math.min(lost, others)} went`,
    ];
  }

  /** Returns the notified waits of the victim whose elements are no longer at the condition. */
  #elsewhere(words: Words, victim: number, waits: readonly Wait[]): number {
    return this.#counted(words, (owner) => owner === victim) - waits.filter(({ owner }) => owner === victim).length;
  }

  /** Returns the shadows that were notified and wait for the lock. */
  #onTheirWay(words: Words, victim: number, waits: readonly Wait[]): number {
    const isShadow = (owner: number): boolean => owner !== victim;
    return this.#counted(words, isShadow) - waits.filter(({ owner }) => isShadow(owner)).length;
  }

  #counted(words: Words, of: (owner: number) => boolean): number {
    const { address, tag } = this.condition.handle;
    return [...entries(words)]
      .filter((entry) => entry.address === address && entry.tag === tag && of(entry.owner))
      .reduce((sum, { held }) => sum + Number(held), 0);
  }

  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    await settle();
    await this.#heal(settle);
    expect([`${this.went} went`]).toEqual(expected);
    this.condition.notifyAll();
    await settle();
    expect([this.waiting, this.condition.waiting]).toEqual([0, 0]);
    await this.#heal(settle);
    const { arena } = this.#stage.living;
    expect([this.condition.handle, this.made.handle].map(({ address }) => officeAt(arena, address).office)).toEqual([
      0n,
      0n,
    ]);
  }

  /** Whether the victim died as the owner, and no shadow has owned the lock since. */
  async #heal(settle: () => Promise<void>): Promise<void> {
    try {
      if (this.lock.tryLock()) this.lock.unlock();
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
      const { guard } = failure as OwnerDiedError;
      guard?.markConsistent();
      guard?.release();
    }
    await settle();
  }

  async doubled(settle: () => Promise<void>): Promise<readonly string[]> {
    await settle();
    return this.went > this.notified + 1 ? [`${this.went} of ${this.notified} notifications`] : [];
  }
}

interface Wait {
  readonly owner: number;
  readonly ticket: bigint;
}

/** Returns the waiters that have not cancelled, in their order. */
function waitsAt(words: Words, condition: number): readonly Wait[] {
  return [...records(words, HEADER_ELEMENT_POOL)]
    .filter(
      ({ record, owner }) =>
        owner !== 0 && words.get32(record + LINE) === condition && words.get32(record + LEAVING) === 0,
    )
    .filter(({ record }) => [QUEUED, LINKED, PARKED, GRANTED, PROMISED].includes(words.load32(record + GATE)))
    .map(({ record, owner }) => ({ owner, ticket: words.get64(record + DRAWN) }))
    .sort((a, b) => Number(a.ticket - b.ticket));
}

export interface ConditionScene {
  readonly stage: Stage;
  readonly shadows: ConditionShadows;
  /** The victim's own instances. */
  readonly lock: ConditionLock;
  readonly theirs: Condition;
  /** Lets the victim notify. */
  readonly notify: (n?: number) => void;
}

export function conditionScene(stage: Stage, sort: Sort): ConditionScene {
  const made = sort.create(stage.living.arena, 'lock');
  const condition = Condition.create(made.lock, { name: 'changed' });
  const shadows = new ConditionShadows(stage, made, condition);
  stage.witnesses.push(shadows);
  const lock = sort.from(stage.world.handle(made.handle, stage.victim));
  const theirs = Condition.from(stage.world.handle(condition.handle, stage.victim), lock);
  const notify = (n = 1): void => {
    // Count before the call: the victim may die in it.
    shadows.notified += n;
    theirs.notify(n);
  };
  return { stage, shadows, lock, theirs, notify };
}

export function atCondition(
  sort: Sort,
  name: string,
  prepare: (scene: ConditionScene) => (() => unknown) | Promise<() => unknown>,
  world: Operation['world'] = {},
): Operation {
  return { name: `${name} (${sort.name})`, world, prepare: (stage) => prepare(conditionScene(stage, sort)) };
}
