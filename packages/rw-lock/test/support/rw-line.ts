// Agents that wait for a read-write lock asynchronously. The test turns their event loops.

import { expect } from 'vitest';
import { expectAtRest } from '../../../core/test/support/at-rest.ts';
import { World, type Agent } from '../../../core/test/support/crash-world.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { RwLock } from '../../src/index.ts';
import './kinds.ts';

interface Visitor {
  readonly lock: RwLock;
  readonly side: RwLock['reader'] | RwLock['writer'];
  readonly leave: () => void;
}

/** Waiters with names such as "r1" for a reader and "w1" for a writer. Each is an agent of its own. */
export class Line {
  readonly lock: RwLock;
  readonly #world: World;
  readonly #first: Agent;
  readonly #visitors = new Map<string, Visitor>();

  constructor(engine: 'wasm' | 'js') {
    this.#world = new World({ engine });
    this.#first = this.#world.join();
    this.lock = RwLock.create({ arena: this.#first.arena });
  }

  /** Lets these waiters arrive, one after the other. */
  come(...names: readonly string[]): void {
    for (const name of names) {
      const lock = RwLock.from(this.#world.handle(this.lock.handle, this.#world.join()));
      const side = name.startsWith('r') ? lock.reader : lock.writer;
      const { signal, leave } = signalByHand();
      this.#visitors.set(name, { lock, side, leave });
      side.lockAsync({ signal, ref: false }).catch(() => undefined);
    }
  }

  /** Aborts these waiters. */
  giveUp(...names: readonly string[]): void {
    for (const name of names) this.#visitor(name).leave();
  }

  /** Lets these holders unlock. */
  leave(...names: readonly string[]): void {
    for (const name of names) this.#visitor(name).side.unlock();
  }

  /** Downgrades a writer. */
  downgrade(name: string): void {
    const { lock, leave } = this.#visitor(name);
    lock.downgrade();
    this.#visitors.set(name, { lock, side: lock.reader, leave });
  }

  /** Turns all event loops. Expects that exactly these agents hold the lock, and that many wait. */
  async expectInside(names: readonly string[], readers = 0, writers = 0): Promise<void> {
    await this.#world.settle();
    const inside = [...this.#visitors].filter(([, { lock }]) => lock.reader.held > 0 || lock.writer.owned);
    expect(inside.map(([name]) => name).sort()).toEqual([...names].sort());
    const report = this.lock.inspect();
    expect([report.waitingReaders.length, report.waitingWriters.length]).toEqual([readers, writers]);
  }

  /** Lets the first agent block to read. The others act while it sleeps. */
  blockingRead(...meanwhile: readonly (() => void)[]): void {
    this.#sleeps(meanwhile);
    this.lock.reader.lock();
  }

  blockingWrite(...meanwhile: readonly (() => void)[]): void {
    this.#sleeps(meanwhile);
    this.lock.writer.lock();
  }

  #sleeps(meanwhile: readonly (() => void)[]): void {
    for (const action of meanwhile) {
      this.#first.life.meanwhile.push(() => {
        action();
        this.#world.lot.turn();
      });
    }
  }

  /** Expects that no agent holds the lock or waits. */
  async expectEmpty(): Promise<void> {
    await this.expectInside([]);
    expectAtRest(this.#first.arena, this.lock.handle);
  }

  #visitor(name: string): Visitor {
    const visitor = this.#visitors.get(name);
    if (visitor === undefined) throw new Error(`${name} never came.`);
    return visitor;
  }
}
