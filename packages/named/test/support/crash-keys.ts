// A keyed mutex for crash injection, with tasks of a living agent that lock one key, and the victim's instance.

import { expect } from 'vitest';
import { blocks } from '../../../core/src/memory/blocks.ts';
import { readName } from '../../../core/src/memory/name.ts';
import { hasCode, type OwnerDiedError } from '../../../core/src/index.ts';
import { BLOCK_TAG, HEALTH, OFFICE } from '../../../core/src/kernel/layout.ts';
import { ORPHANED } from '../../../core/src/kernel/states.ts';
import type { Words } from '../../../core/src/kernel/words.ts';
import type { Operation, Stage, Witness } from '../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { KeyedMutex, type AfterDeath } from '../../src/index.ts';
import { lockBlocks } from './blocks.ts';
import { unseeded } from './unseeded.ts';

export const KEY = 'k';
const NAME = 'keys';

type Told = 'waits' | 'clean' | 'told' | 'left';

export class KeyShadows implements Witness {
  readonly keyed: KeyedMutex;
  readonly #stage: Stage;
  readonly #blocks: number;
  readonly #told: { told: Told; readonly leave: () => void }[] = [];
  #owns = false;

  constructor(stage: Stage, keyed: KeyedMutex) {
    this.#stage = stage;
    this.keyed = keyed;
    this.#blocks = lockBlocks(stage.living.arena);
  }

  /** Lets that many tasks wait in line. Each repairs if necessary and unlocks. */
  come(times = 1): void {
    for (let count = 0; count < times; count++) {
      const { signal, leave } = signalByHand();
      const task: { told: Told; leave: () => void } = { told: 'waits', leave };
      this.#told.push(task);
      this.keyed.lockAsync(KEY, { ref: false, signal }).then(
        () => {
          task.told = 'clean';
          this.keyed.unlock(KEY);
        },
        (failure: unknown) => {
          if (task.told === 'left') return;
          if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
          task.told = 'told';
          const { guard } = failure as OwnerDiedError;
          guard?.markConsistent();
          guard?.release();
        },
      );
    }
  }

  leave(index: number): void {
    const task = this.#told[index];
    if (task === undefined) throw new Error('no such task');
    task.told = 'left';
    task.leave();
  }

  take(): void {
    this.keyed.lock(KEY);
    this.#owns = true;
  }

  go(): void {
    this.#owns = false;
    this.keyed.unlock(KEY);
  }

  /**
   * Returns the number of agents that will be told of a dead owner: one if the victim owned the key or an earlier
   * notice is pending.
   */
  expected(words: Words, victim: number): readonly string[] {
    const locks = [...blocks(words)].filter(
      (block) => words.load32(block + BLOCK_TAG) > 0 && readName(words, block) === `${NAME}: ${KEY}`,
    );
    const notices = locks.filter(
      (lock) => words.load32(lock + OFFICE) === victim || words.load32(lock + HEALTH) === ORPHANED,
    ).length;
    return [`${this.#count('told') + notices} told`];
  }

  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    if (this.#owns) this.go();
    await settle();
    this.come();
    await settle();
    // Also count other keys that the victim owned.
    for (const { key } of this.keyed.inspect().keys) {
      const guard = this.keyed.takeOver(key);
      guard?.markConsistent();
      guard?.release();
    }
    expect([this.#count('waits'), this.keyed.inspect().keys]).toEqual([0, []]);
    expect([`${this.#count('told')} told`]).toEqual(expected);
    // The victim freed its table, or everything except the table.
    expect(lockBlocks(this.#stage.living.arena)).toBe(this.#blocks);
  }

  #count(of: Told): number {
    return this.#told.filter(({ told }) => told === of).length;
  }
}

export interface KeyScene {
  readonly stage: Stage;
  readonly shadows: KeyShadows;
  /** The victim's own instance. */
  readonly theirs: KeyedMutex;
}

export function keyScene(stage: Stage, ownerDied: AfterDeath = 'notify'): KeyScene {
  const keyed = unseeded(() => KeyedMutex.create({ arena: stage.living.arena, name: NAME, ownerDied }));
  const shadows = new KeyShadows(stage, keyed);
  stage.witnesses.push(shadows);
  return { stage, shadows, theirs: KeyedMutex.from(stage.world.handle(keyed.handle, stage.victim)) };
}

export function atKeys(
  name: string,
  prepare: (scene: KeyScene) => (() => unknown) | Promise<() => unknown>,
): Operation {
  return { name, prepare: (stage) => prepare(keyScene(stage)) };
}
