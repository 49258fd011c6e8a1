// Random arrivals, releases and aborts of three agents. Plain lists determine which waits must be served
// (docs/ARCHITECTURE.md, "The order of waiters").

import { Arena } from '@sluice/core';
import { Session, type Random } from '@sluice/harness';
import { expect, test } from 'vitest';
import { openAs, secondAgent } from '../../../core/test/support/second-agent.ts';
import { turn } from '../../../core/test/support/turn.ts';
import { LightweightSemaphore, MultilaneSemaphore, type FamilyHandle, type SchemeName } from '../../src/index.ts';
import { TICKETED } from './support/crash-members.ts';
import type { MemberHandle } from './support/members.ts';

const ROUNDS = 15;
const CALLS = 60;
const AGENTS = 3;

interface Permits {
  readonly handle: MemberHandle;
  readonly available: number;
  tryAcquire(permits?: number): boolean;
  acquireAsync(permits?: number, options?: { signal?: AbortSignal }): Promise<void>;
  release(permits?: number): void;
  free(): void;
  inspect(): { readonly abandoned: number };
}

/** The waits in the order that the semaphore promises. */
interface Ideal {
  /** Records the arrival of a wait. Returns whether it is served at once. */
  come(agent: number, waiter: number, permits: number): boolean;
  leave(waiter: number): readonly number[];
  release(permits: number): readonly number[];
  readonly waiting: readonly number[];
  free: number;
}

/** One queue for all agents. A cancelled wait loses its place. */
class OneLine implements Ideal {
  #line: { readonly waiter: number; readonly permits: number }[] = [];
  free = 0;

  get waiting(): readonly number[] {
    return this.#line.map(({ waiter }) => waiter);
  }

  come(_agent: number, waiter: number, permits: number): boolean {
    if (this.#line.length === 0 && this.free >= permits) {
      this.free -= permits;
      return true;
    }
    this.#line.push({ waiter, permits });
    return false;
  }

  leave(waiter: number): readonly number[] {
    this.#line = this.#line.filter((other) => other.waiter !== waiter);
    return this.#serve();
  }

  release(permits: number): readonly number[] {
    this.free += permits;
    return this.#serve();
  }

  #serve(): readonly number[] {
    const served: number[] = [];
    for (let [first] = this.#line; first !== undefined && this.free >= first.permits; [first] = this.#line) {
      this.free -= first.permits;
      served.push(first.waiter);
      this.#line.shift();
    }
    return served;
  }
}

/**
 * One place for all waits of an agent. `isLeft`: all of them have cancelled, and no release has skipped the place yet.
 */
interface Place {
  readonly agent: number;
  isLeft: boolean;
}

class OnePlaceEach implements Ideal {
  readonly #keepsPlaces: boolean;
  readonly #waits: number[][] = Array.from({ length: AGENTS }, () => []);
  #line: Place[] = [];
  #left: Place[] = [];
  free = 0;

  constructor(keepsPlaces: boolean) {
    this.#keepsPlaces = keepsPlaces;
  }

  get waiting(): readonly number[] {
    return this.#waits.flat();
  }

  come(agent: number, waiter: number): boolean {
    if (this.free > 0) {
      this.free -= 1;
      return true;
    }
    const own = this.#of(agent);
    own.push(waiter);
    if (own.length === 1) this.#enter(agent);
    return false;
  }

  leave(waiter: number): readonly number[] {
    const agent = this.#waits.findIndex((own) => own.includes(waiter));
    const own = this.#of(agent);
    own.splice(own.indexOf(waiter), 1);
    const place = this.#line.find((other) => other.agent === agent && !other.isLeft);
    if (own.length > 0 || place === undefined) return [];
    place.isLeft = true;
    this.#left.push(place);
    // Remove a left place at the end of the queue at once.
    while (this.#line.at(-1)?.isLeft === true) this.#line.pop();
    return [];
  }

  /** Grants one permit. */
  release(): readonly number[] {
    let place = this.#line.shift();
    while (place?.isLeft === true) place = this.#line.shift();
    if (place === undefined) {
      this.free += 1;
      return [];
    }
    const own = this.#of(place.agent);
    const waiter = own.shift();
    if (own.length > 0) this.#enter(place.agent);
    return waiter === undefined ? [] : [waiter];
  }

  #of(agent: number): number[] {
    return this.#waits[agent] ?? [];
  }

  /** Uses the last place that the agent left and no release has skipped, or a new one at the end. */
  #enter(agent: number): void {
    for (let at = this.#left.length - 1; this.#keepsPlaces && at >= 0; at--) {
      const place = this.#left[at];
      if (place?.agent !== agent) continue;
      this.#left.splice(at, 1);
      if (!this.#line.includes(place)) continue;
      place.isLeft = false;
      return;
    }
    this.#line.push({ agent, isLeft: false });
  }
}

interface Kind {
  readonly name: string;
  readonly most: number;
  readonly ideal: () => Ideal;
  readonly create: (arena: Arena) => Permits;
  readonly from: (handle: MemberHandle) => Permits;
}

const INNER: readonly SchemeName[] = ['semaphore', 'ticket', 'waiting-array', 'chain', 'monitor', 'location'];
const KINDS: readonly Kind[] = [
  ...TICKETED.map(
    (Member): Kind => ({
      name: Member.name,
      most: 3,
      ideal: () => new OneLine(),
      create: (arena) => Member.create(0, { arena }),
      from: (handle) => Member.from(handle),
    }),
  ),
  ...INNER.map(
    (inner): Kind => ({
      name: `LightweightSemaphore over ${inner}`,
      most: 1,
      ideal: () => new OneLine(),
      create: (arena) => LightweightSemaphore.create(0, { arena, inner }),
      from: (handle) => LightweightSemaphore.from(handle as FamilyHandle),
    }),
  ),
  ...INNER.map(
    (inner): Kind => ({
      name: `MultilaneSemaphore over ${inner}`,
      most: 1,
      ideal: () => new OnePlaceEach(inner === 'semaphore'),
      create: (arena) => MultilaneSemaphore.create(0, { arena, inner, lanes: 2 }),
      from: (handle) => MultilaneSemaphore.from(handle as FamilyHandle),
    }),
  ),
];

class History {
  readonly #kind: Kind;
  readonly #random: Random;
  readonly #agents: readonly Permits[];
  readonly #ideal: Ideal;
  readonly #controllers = new Map<number, AbortController>();
  readonly #log: string[] = [];
  readonly #arena = Arena.create({ policy: { buckets: 4, spinMicros: 0 } });
  #served: number[] = [];
  #count = 0;

  constructor(kind: Kind, random: Random) {
    this.#kind = kind;
    this.#random = random;
    const first = kind.create(this.#arena);
    const others = Array.from({ length: AGENTS - 1 }, () =>
      openAs(secondAgent(this.#arena), first.handle, (handle) => kind.from(handle)),
    );
    this.#agents = [first, ...others];
    this.#ideal = kind.ideal();
  }

  async call(): Promise<void> {
    const what = this.#random.below(10);
    if (what < 5) await this.#come(this.#random.below(AGENTS));
    else if (what < 7) await this.#release();
    else if (what === 7) this.#tryOut();
    else if (this.#ideal.waiting.length > 0) await this.#leave(this.#random.pick(this.#ideal.waiting));
  }

  async finish(): Promise<void> {
    while (this.#ideal.waiting.length > 0) await this.#release();
    expect(this.#arena.inspect().elements, this.#story).toMatchObject({ waiting: 0, abandoned: 0 });
    this.#agents[0]?.free();
  }

  async #come(agent: number): Promise<void> {
    const [waiter, permits] = [this.#count++, this.#random.between(1, this.#kind.most)];
    this.#log.push(`${agent} arrives for ${permits}`);
    const controller = new AbortController();
    this.#controllers.set(waiter, controller);
    const atOnce = this.#ideal.come(agent, waiter, permits);
    this.#at(agent)
      .acquireAsync(permits, { signal: controller.signal })
      .then(
        () => this.#served.push(waiter),
        (reason: unknown) => {
          if (reason !== 'aborted') this.#served.push(NaN);
        },
      );
    await this.#expectServed(atOnce ? [waiter] : []);
  }

  async #release(): Promise<void> {
    const permits = this.#random.between(1, this.#kind.most);
    this.#log.push(`a release of ${permits}`);
    const served = this.#ideal.release(permits);
    this.#at(this.#random.below(AGENTS)).release(permits);
    await this.#expectServed(served);
  }

  async #leave(waiter: number): Promise<void> {
    this.#log.push(`wait ${waiter} is aborted`);
    const served = this.#ideal.leave(waiter);
    this.#controllers.get(waiter)?.abort('aborted');
    await this.#expectServed(served);
  }

  #tryOut(): void {
    const sem = this.#at(this.#random.below(AGENTS));
    const taken = sem.tryAcquire();
    expect(taken, this.#story).toBe(this.#ideal.waiting.length === 0 && this.#ideal.free > 0);
    if (taken) sem.release();
  }

  async #expectServed(served: readonly number[]): Promise<void> {
    for (let turns = 0; turns < 3; turns++) await turn();
    // Agents of one thread settle in any order.
    expect(
      [...this.#served].sort((a, b) => a - b),
      this.#story,
    ).toEqual([...served].sort((a, b) => a - b));
    this.#served = [];
    // Free permits are kept for queued waits.
    expect(this.#agents[0]?.available, this.#story).toBe(this.#ideal.waiting.length === 0 ? this.#ideal.free : 0);
  }

  #at(agent: number): Permits {
    const sem = this.#agents[agent];
    if (sem === undefined) throw new Error('no such agent');
    return sem;
  }

  get #story(): string {
    return this.#log.join(', ');
  }
}

test.each(KINDS)('$name: random histories of three agents follow the promised order', async (kind) => {
  const session = new Session(`${kind.name}, random histories`);
  for (let round = 0; round < ROUNDS; round++) {
    const history = new History(kind, session.random);
    for (let call = 0; call < CALLS; call++) await history.call();
    await history.finish();
  }
  session.done(ROUNDS * CALLS);
});
