// Random arrivals, unlocks and aborts. The next owner must be that of a plain list.

import { Session } from '@sluice/harness';
import { expect, test } from 'vitest';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { turn } from '../../core/test/support/turn.ts';
import { Bench } from '../../core/test/support/owned-lock/bench.ts';
import type { OwnedLockKind, TestedLock } from '../../core/test/support/owned-lock/kind.ts';
import { KINDS } from './support/kinds.ts';

const ROUNDS = 20;
const CALLS = 40;
const bench = new Bench();

/** A place in the queue. `waiter` is absent if its waiter cancelled. */
interface Place {
  readonly agent: number;
  waiter: number | undefined;
}

/** The places, in the order in which the lock promises to serve them. */
class Ideal {
  readonly #order: OwnedLockKind['order'];
  readonly #keepsPlaces: boolean;
  #arrivals: Place[] = [];
  #segment: Place[] = [];
  /** The places of cancelled waiters, in the order of their cancellations. */
  #left: Place[] = [];

  constructor({ order, isQueued }: OwnedLockKind) {
    this.#order = order;
    this.#keepsPlaces = isQueued;
  }

  /** A waiter uses the place that its agent cancelled last, if no unlock has skipped that place yet. */
  come(agent: number, waiter: number): void {
    for (let at = this.#left.length - 1; at >= 0; at--) {
      const place = this.#left[at];
      if (place?.agent !== agent) continue;
      this.#left.splice(at, 1);
      if (!this.#all.includes(place)) continue;
      place.waiter = waiter;
      return;
    }
    this.#arrivals.push({ agent, waiter });
  }

  leave(waiter: number): void {
    const place = this.#all.find((other) => other.waiter === waiter);
    if (place === undefined) return;
    place.waiter = undefined;
    if (this.#keepsPlaces) this.#left.push(place);
    else this.#drop(place);
  }

  get #all(): readonly Place[] {
    return [...this.#segment, ...this.#arrivals];
  }

  get waiting(): readonly number[] {
    return this.#all.flatMap(({ waiter }) => (waiter === undefined ? [] : [waiter]));
  }

  /** Returns the waiters of which one must get the lock at an unlock. The unlock skips the places before it. */
  next(): readonly (number | undefined)[] {
    if (this.#order === 'any') return this.waiting;
    for (let place = this.#first(); place !== undefined; place = this.#first()) {
      if (place.waiter !== undefined) return [place.waiter];
      this.#drop(place);
    }
    return [undefined];
  }

  /** Records that a waiter got the lock. */
  serve(waiter: number): void {
    const place = this.#all.find((other) => other.waiter === waiter);
    if (place !== undefined) this.#drop(place);
  }

  #first(): Place | undefined {
    if (this.#order === 'first') return this.#arrivals[0];
    if (this.#order === 'last') return this.#arrivals.at(-1);
    if (this.#segment.length === 0) [this.#segment, this.#arrivals] = [this.#arrivals, []];
    return this.#segment.at(-1);
  }

  #drop(place: Place): void {
    this.#arrivals = this.#arrivals.filter((other) => other !== place);
    this.#segment = this.#segment.filter((other) => other !== place);
  }
}

class History {
  readonly #locks: readonly TestedLock[];
  readonly #ideal: Ideal;
  readonly #controllers = new Map<number, AbortController>();
  readonly #faults: unknown[] = [];
  #count = 0;
  #inside: { readonly waiter: number; readonly lock: TestedLock } | undefined;

  constructor(kind: OwnedLockKind) {
    this.#locks = Object.values(bench.create(kind)) as TestedLock[];
    this.#ideal = new Ideal(kind);
  }

  get waiting(): readonly number[] {
    return this.#ideal.waiting;
  }

  async come(agent: number): Promise<void> {
    const lock = this.#lock(agent);
    const waiter = this.#count++;
    const wasFree = this.#inside === undefined;
    const controller = new AbortController();
    this.#controllers.set(waiter, controller);
    if (!wasFree) this.#ideal.come(agent, waiter);
    lock.lockAsync({ signal: controller.signal }).then(
      () => {
        if (this.#inside !== undefined) this.#faults.push('two waiters own the lock');
        this.#inside = { waiter, lock };
      },
      (reason: unknown) => {
        if (reason !== 'aborted') this.#faults.push(reason);
      },
    );
    await turn();
    if (wasFree) expect(this.#inside).toEqual({ waiter, lock });
  }

  async unlock(): Promise<void> {
    if (this.#inside === undefined) return;
    const { lock } = this.#inside;
    this.#inside = undefined;
    const next = this.#ideal.next();
    const { length } = this.waiting;
    lock.unlock();
    await turn();
    const now = this.#inside as { readonly waiter: number } | undefined;
    if (length === 0) expect(now).toBeUndefined();
    else expect(next).toContain(now?.waiter);
    if (now !== undefined) this.#ideal.serve(now.waiter);
  }

  async leave(waiter: number): Promise<void> {
    this.#controllers.get(waiter)?.abort('aborted');
    this.#ideal.leave(waiter);
    await turn();
  }

  tryOut(agent: number): void {
    const lock = this.#lock(agent);
    const taken = lock.tryLock();
    expect(taken).toBe(this.#inside === undefined);
    if (taken) lock.unlock();
  }

  async finish(): Promise<void> {
    while (this.#inside !== undefined) await this.unlock();
    const { arena, handle } = this.#lock(0);
    expectAtRest(arena, handle);
    expect([this.#faults, this.waiting]).toEqual([[], []]);
    this.#lock(0).free();
  }

  #lock(agent: number): TestedLock {
    const lock = this.#locks[agent];
    if (lock === undefined) throw new Error('no such agent');
    return lock;
  }
}

test.each(KINDS)(
  '$what: in random histories of three agents the lock serves its waiters in its order',
  async (kind) => {
    const session = new Session(`${kind.what}, random histories`);
    const { random } = session;
    for (let round = 0; round < ROUNDS; round++) {
      const history = new History(kind);
      for (let call = 0; call < CALLS; call++) {
        const what = random.below(8);
        if (what < 4) await history.come(random.below(3));
        else if (what < 6) await history.unlock();
        else if (what === 6) history.tryOut(random.below(3));
        else if (history.waiting.length > 0) await history.leave(random.pick(history.waiting));
      }
      await history.finish();
    }
    session.done(ROUNDS * CALLS);
  },
);
