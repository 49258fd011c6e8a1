// Tasks of a living agent at one bounded buffer, and the victim's calls there. The accounts are: which values were
// offered, which were pushed for certain, and which came out.

import { expect } from 'vitest';
import type { BoundedBuffer } from '../../src/index.ts';
import { ClosedError } from '../../../core/src/index.ts';
import { BLOCK_TAG } from '../../../core/src/kernel/layout.ts';
import type { Words } from '../../../core/src/kernel/words.ts';
import {
  invariantFault,
  isLocked,
  positionsOf,
  restFaults,
  ringOf,
  semaphoreOf,
  sidesOf,
  hasHead,
  wantedAt,
} from './buffer-invariants.ts';
import type { Stage, Witness } from '../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { expectNone, expectSame } from '../../../core/test/support/expect-same.ts';

/** How a number is stored in the buffer. */
export interface Wrap {
  readonly of: (value: number) => unknown;
  readonly from: (packed: unknown) => number;
}

export interface BufferKind {
  readonly make: (arena: Stage['living']['arena']) => BoundedBuffer<unknown>;
  readonly wrap: Wrap;
  /** The number of values that fit, if each takes one unit. */
  readonly capacity?: number;
}

type Outcome = 'waits' | 'done' | 'left' | 'closed';

interface Task {
  readonly takes: boolean;
  outcome: Outcome;
  readonly leave: () => void;
}

export class BufferShadows implements Witness {
  readonly buffer: BoundedBuffer<unknown>;
  readonly wrap: Wrap;
  readonly #stage: Stage;
  readonly #capacity: number | undefined;
  readonly #tasks: Task[] = [];
  /** Agents that have the lock of a side, and release it. */
  readonly #holders: (() => void)[] = [];
  readonly #offered: number[] = [];
  /** Values that are, or were, in the buffer for certain. */
  readonly #in: number[] = [];
  /** Values that came out, in order. */
  readonly #out: number[] = [];
  /** The number of values that the victim's current call may have taken. */
  #consumerSide = 0;
  /** The number of values that came out before the victim died, and the values in the buffer then. */
  #before = 0;
  #contents: readonly number[] = [];

  constructor(stage: Stage, { make, wrap, capacity }: BufferKind) {
    this.#stage = stage;
    this.#capacity = capacity;
    this.wrap = wrap;
    this.buffer = make(stage.living.arena);
  }

  get #words(): Words {
    return this.#stage.world.words;
  }

  get address(): number {
    return this.buffer.handle.address;
  }

  /** Returns a value that no other agent offers. */
  newValue(): number {
    return this.#offered.push(this.#offered.length) - 1;
  }

  /** Returns values that the victim offers, until it knows that they are in the buffer. */
  offer(count: number, put: (values: readonly unknown[]) => number | boolean | void): void {
    const values = Array.from({ length: count }, () => this.newValue());
    const went = put(values.map(this.wrap.of));
    this.#in.push(...values.slice(0, typeof went === 'boolean' ? Number(went) : (went ?? count)));
  }

  /** As `offer`, of one value. */
  async offerAsync(put: (value: unknown) => Promise<unknown>): Promise<void> {
    const value = this.newValue();
    await put(this.wrap.of(value));
    this.#in.push(value);
  }

  /** Lets the victim take at most that many values. */
  receive(most: number, take: () => unknown): void {
    this.#consumerSide += most;
    this.#receive(take(), most);
  }

  async receiveAsync(most: number, take: () => Promise<unknown>): Promise<void> {
    this.#consumerSide += most;
    this.#receive(await take(), most);
  }

  #receive(taken: unknown, most: number): void {
    const all: readonly unknown[] = Array.isArray(taken) ? taken : taken === undefined ? [] : [taken];
    this.#out.push(...all.map(this.wrap.from));
    this.#consumerSide -= most;
  }

  /** Pushes that many values at once as the living agent. Fails if there is no room. */
  put(times = 1): void {
    for (let count = 0; count < times; count++) if (!this.#tryPut()) throw new Error('no room');
  }

  #tryPut(): boolean {
    const value = this.newValue();
    const went = this.buffer.tryPush(this.wrap.of(value));
    if (went) this.#in.push(value);
    return went;
  }

  /** Takes that many values at once as the living agent. Fails if there are none. */
  take(times = 1): void {
    for (let count = 0; count < times; count++) if (!this.tryTake()) throw new Error('no value');
  }

  /** Takes a value as the living agent, if there is one. */
  tryTake(): boolean {
    const taken = this.buffer.tryPop();
    if (taken !== undefined) this.#out.push(this.wrap.from(taken));
    return taken !== undefined;
  }

  /** Starts that many tasks that push a value. */
  produce(times = 1): void {
    for (let count = 0; count < times; count++) {
      const value = this.newValue();
      this.#begin(
        false,
        (options) => this.buffer.pushAsync(this.wrap.of(value), options),
        () => this.#in.push(value),
      );
    }
  }

  /** Starts that many tasks that pop a value. */
  consume(times = 1): void {
    for (let count = 0; count < times; count++) {
      this.#begin(
        true,
        (options) => this.buffer.popAsync(options),
        (taken) => this.#out.push(this.wrap.from(taken)),
      );
    }
  }

  #begin(
    takes: boolean,
    call: (options: { signal: AbortSignal; ref: boolean }) => Promise<unknown>,
    done: (result: unknown) => void,
  ): void {
    const { signal, leave } = signalByHand();
    const task: Task = { takes, outcome: 'waits', leave };
    this.#tasks.push(task);
    call({ signal, ref: false }).then(
      (result) => {
        task.outcome = 'done';
        done(result);
      },
      () => {
        if (task.outcome === 'waits') task.outcome = 'closed';
      },
    );
  }

  /** Aborts the task with that number. */
  leave(index: number): void {
    const task = this.#tasks[index];
    if (task === undefined) throw new Error('no such task');
    task.outcome = 'left';
    task.leave();
  }

  /** Another agent has the lock of a side until the result is called, or until the end. */
  holds(letGo: () => void): () => void {
    this.#holders.push(letGo);
    return () => this.#letGo(letGo);
  }

  #letGo(holder: () => void): void {
    const index = this.#holders.indexOf(holder);
    if (index >= 0) this.#holders.splice(index, 1)[0]?.();
  }

  #waiting(takes: boolean): readonly Task[] {
    return this.#tasks.filter((task) => task.takes === takes && task.outcome === 'waits');
  }

  get #state(): 'open' | 'closed' | 'freed' {
    if (this.#words.load32(this.address + BLOCK_TAG) !== this.buffer.handle.tag) return 'freed';
    return this.#words.load32(semaphoreOf(sidesOf(this.address).producers) + BLOCK_TAG) < 0 ? 'closed' : 'open';
  }

  expected(words: Words): readonly string[] {
    this.#before = this.#out.length;
    const state = this.#state;
    const { values } = positionsOf(words, this.address);
    this.#contents = state === 'freed' || this.#capacity === undefined ? [] : ringOf(words, this.address);
    const served = state === 'open' ? Infinity : state === 'closed' ? values : 0;
    let taken = 0;
    const outcomes = this.#tasks.map(({ takes, outcome }) => {
      if (outcome !== 'waits') return outcome;
      if (takes) return taken++ < served ? 'done' : 'closed';
      return state === 'open' ? 'done' : 'closed';
    });
    return outcomes.sort();
  }

  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    if (this.#state === 'freed') {
      expectSame(this.#outcomes, expected);
      return;
    }
    await this.#letAllGo(settle);
    expectNone(restFaults(this.#words, this.address));
    await this.#serveAll(settle);
    expectSame(this.#outcomes, expected);
    this.#drain();
    expectSame(this.#out.slice(this.#before, this.#before + this.#contents.length), this.#contents);
    expectNone(this.#valueFaults());
    const mayHaveTaken = ['commitSide', 'passInt32'].some((step) => this.#stage.life.deeds.includes(step));
    expect(this.#missing()).toBeLessThanOrEqual(mayHaveTaken ? this.#consumerSide : 0);
    if (this.#state === 'open') this.#expectWhole();
  }

  async #letAllGo(settle: () => Promise<void>): Promise<void> {
    for (const holder of [...this.#holders]) this.#letGo(holder);
    await settle();
  }

  get #outcomes(): readonly Outcome[] {
    return this.#tasks.map(({ outcome }) => outcome).sort();
  }

  /** Provides values and room for the waiters. */
  async #serveAll(settle: () => Promise<void>): Promise<void> {
    for (;;) {
      await settle();
      if (this.#waiting(true).length > 0) this.put();
      else if (this.#waiting(false).length > 0) this.take();
      else return;
    }
  }

  /** Takes all values that are there. */
  #drain(): void {
    try {
      while (this.tryTake());
    } catch (failure) {
      if (!(failure instanceof ClosedError)) throw failure;
    }
  }

  /** Returns values that came out twice, or that no agent offered. */
  #valueFaults(): readonly string[] {
    const twice = this.#out.filter((value, index) => this.#out.indexOf(value) !== index);
    const unknown = this.#out.filter((value) => !this.#offered.includes(value));
    return [...twice.map((value) => `${value} came out twice`), ...unknown.map((value) => `no agent offered ${value}`)];
  }

  /** Returns values that were pushed and never came out. */
  #missing(): number {
    return this.#in.filter((value) => !this.#out.includes(value)).length;
  }

  /** Checks that all of the room can be used, and that nothing is granted to an agent. */
  #expectWhole(): void {
    const { producers, consumers } = sidesOf(this.address);
    if (this.#capacity !== undefined) {
      this.put(this.#capacity);
      expectSame(this.#tryPut(), false);
      this.take(this.#capacity);
      expectSame(this.tryTake(), false);
    }
    for (const side of [producers, consumers]) {
      if (this.#capacity !== undefined)
        expectSame(BigInt(hasHead(this.#words, side)) + wantedAt(this.#words, side), 0n);
      expectSame(isLocked(this.#words, side), false);
    }
  }

  async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await this.#letAllGo(settle);
    const faults: string[] = [];
    if (how === 'leave') for (const { outcome, leave } of this.#tasks) if (outcome === 'waits') leave();
    for (let round = 0; round < 3 && this.#state !== 'freed'; round++) {
      await settle();
      this.#fill();
      await settle();
      const fault = invariantFault(this.#words, this.address);
      if (fault !== undefined) faults.push(fault);
      this.#drain();
    }
    await settle();
    return [...faults, ...this.#valueFaults()];
  }

  /** Pushes values until there is no room; offers a few more than fit. */
  #fill(): void {
    const most = 2 * (this.#capacity ?? 10);
    try {
      for (let count = 0; count < most && this.#tryPut(); count++);
    } catch (failure) {
      if (!(failure instanceof ClosedError)) throw failure;
    }
  }
}
