// @ts-check Keeps locking in every way, and checks that it is the only owner.
import { enterLock } from '../../../core/test/jobs/lock-ways.mjs';

/** @import { AsyncLock, Lock } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { LockWay } from '../../../core/test/jobs/lock-ways.mjs' */

/** @typedef {LockWay | 'run' | 'run async'} Way */
/** @typedef {{ run: (body: () => void) => void, runAsync: (body: () => Promise<void>) => Promise<void> }} Runs */
/** @typedef {Lock & AsyncLock & Runs} AnyLock */

/**
 * Words of each lock: the number of owners, a plain counter that the lock protects, and a payload whose words all equal
 * the counter.
 */
export const INSIDE = 1;
export const COUNT = 2;
const PAYLOAD = 3;
const PAYLOAD_WORDS = 6;
/** The word before those of the first lock: set at the start. */
export const START = 0;
export const LOCK_WORDS = 32;

export class Visitor {
  entered = 0;
  gaveUp = 0;

  /**
   * @param {AnyLock} lock @param {Int32Array} words @param {number} which @param {JobContext['random']} random
   * @param {number} lasting percentage of visits that last a while
   */
  constructor(lock, words, which, random, lasting) {
    this.lock = lock;
    this.words = words;
    this.at = which * LOCK_WORDS;
    this.random = random;
    this.lasting = lasting;
  }

  /** Throws if there is another owner. @param {Way} way */
  async visit(way) {
    const { lock } = this;
    if (way === 'run') lock.run(() => this.act());
    else if (way === 'run async') await lock.runAsync(() => this.actAsync());
    else if (await enterLock(lock, way, this.random)) {
      if (way.startsWith('async')) await this.actAsync();
      else this.act();
      lock.unlock();
    } else {
      this.gaveUp += 1;
    }
  }

  act() {
    const found = this.enter();
    const spins = this.random.chance(this.lasting) ? this.random.below(300) : 0;
    for (let spin = 0; spin < spins; spin++) Atomics.load(this.words, START);
    // A pause as owner, so that the others enqueue and park.
    if (this.random.chance(2)) Atomics.wait(this.words, START, 1, 0.1);
    this.leave(found);
  }

  async actAsync() {
    const found = this.enter();
    if (this.random.chance(this.lasting)) await new Promise((resolve) => setImmediate(resolve));
    this.leave(found);
  }

  /**
   * Returns the counter. The reads and writes are plain: an agent inside at the same time would lose its count, or see
   * a torn payload.
   */
  enter() {
    const { words, at } = this;
    const inside = Atomics.add(words, at + INSIDE, 1);
    if (inside !== 0) throw new Error(`${inside} agents own the lock already`);
    this.entered += 1;
    const found = words[at + COUNT] ?? 0;
    const payload = words.slice(at + PAYLOAD, at + PAYLOAD + PAYLOAD_WORDS);
    if (payload.some((word) => word !== found)) throw new Error(`the payload is torn: ${found}, ${payload.join(', ')}`);
    words.fill(found + 1, at + PAYLOAD, at + PAYLOAD + PAYLOAD_WORDS / 2);
    return found;
  }

  /** @param {number} found */
  leave(found) {
    const { words, at } = this;
    words.fill(found + 1, at + PAYLOAD + PAYLOAD_WORDS / 2, at + PAYLOAD + PAYLOAD_WORDS);
    words[at + COUNT] = found + 1;
    const inside = Atomics.sub(words, at + INSIDE, 1);
    if (inside !== 1) throw new Error(`${inside} agents own the lock, and one of them unlocks`);
  }
}
