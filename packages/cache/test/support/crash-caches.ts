// A cache for crash injection, with calls of a living agent that wait for one key, and the victim's instance.

import { expect } from 'vitest';
import type { Operation, Stage, Witness } from '../../../core/test/support/crash-stage.ts';
import { lockBlocks } from '../../../named/test/support/blocks.ts';
import { SharedCache } from '../../src/index.ts';
import { problemOf } from './plain-store.ts';

export const KEY = 'k';
/** The keys that operations use. */
export const KEYS: readonly string[] = [KEY, 'a', 'b', 'long'];
/** The address of the store in its block: behind the line, the words of the table and its buckets. */
const STORE_AT = 128 + 64 + 4 * 512;

/** A value that tells its key, and whether it is whole. */
export function valueOf(key: string, length = 20): string {
  return key.padEnd(length, key);
}

export class CacheShadows implements Witness {
  readonly cache: SharedCache<string>;
  readonly #stage: Stage;
  readonly #blocks: number;
  #left = 0;
  /** Ends the computation of the living agent. */
  #go: ((value: string) => void) | undefined;

  constructor(stage: Stage, cache: SharedCache<string>) {
    this.#stage = stage;
    this.cache = cache;
    this.#blocks = lockBlocks(stage.living.arena);
  }

  /** Lets the living agent ask for the key. It computes when its turn comes. */
  come(): void {
    this.#left += 1;
    this.cache
      .getAsync(KEY, () => valueOf(KEY), { ref: false })
      .then(
        (value) => {
          expect(value).toBe(valueOf(KEY));
          this.#left -= 1;
        },
        () => undefined,
      );
  }

  /** Lets the living agent compute until `go`. */
  take(): void {
    this.#left += 1;
    const compute = async (): Promise<string> => new Promise((resolve) => (this.#go = resolve));
    void this.cache.getAsync(KEY, compute, { ref: false }).then(() => (this.#left -= 1));
  }

  go(): void {
    this.#go?.(valueOf(KEY));
    this.#go = undefined;
  }

  expected(): readonly string[] {
    return ['all have values'];
  }

  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    this.go();
    await settle();
    expect([this.#left === 0 ? 'all have values' : `${this.#left} wait`]).toEqual(expected);
    for (const key of KEYS) {
      const value = this.cache.get(key, () => valueOf(key));
      expect(value).toBe(valueOf(key, value.length));
    }
    expect(this.cache.inspect().computing).toEqual([]);
    // A death may leave the lock of a key in the table. The next computation of the key puts it away.
    for (const key of KEYS) {
      this.cache.delete(key);
      this.cache.get(key, () => valueOf(key));
    }
    const words = new Int32Array(this.#stage.world.memory.buffer);
    const problem = problemOf((address) => words[address / 4] ?? 0, this.cache.handle.address + STORE_AT);
    expect(problem).toBeUndefined();
    expect(lockBlocks(this.#stage.living.arena)).toBe(this.#blocks);
  }
}

export interface CacheScene {
  readonly stage: Stage;
  readonly shadows: CacheShadows;
  /** The victim's own instance. */
  readonly theirs: SharedCache<string>;
}

export function cacheScene(stage: Stage): CacheScene {
  const cache = SharedCache.create<string>({ arena: stage.living.arena, maxBytes: 4096, name: 'cache' });
  const shadows = new CacheShadows(stage, cache);
  stage.witnesses.push(shadows);
  return { stage, shadows, theirs: SharedCache.from(stage.world.handle(cache.handle, stage.victim)) };
}

export function atCache(
  name: string,
  prepare: (scene: CacheScene) => (() => unknown) | Promise<() => unknown>,
): Operation {
  return { name, prepare: (stage) => prepare(cacheScene(stage)) };
}
