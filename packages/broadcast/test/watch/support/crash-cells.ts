// A watch cell for crash injection: waits of a living agent, and the victim's instance.

import { hasCode } from '@sluice/core';
import { expect } from 'vitest';
import { records } from '../../../../core/src/memory/records.ts';
import { DRAWN, GATE, GRANT, HEADER_ELEMENT_POOL, LINE } from '../../../../core/src/kernel/layout.ts';
import { LINKED, PARKED, QUEUED } from '../../../../core/src/kernel/states.ts';
import type { Words } from '../../../../core/src/kernel/words.ts';
import type { Operation, Stage, Witness } from '../../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../../core/test/support/signal-by-hand.ts';
import { WatchCell } from '../../../src/index.ts';
import { CELL_CLOSED, VERSION_BITS } from '../../../src/watch/kernel/layout.ts';
import { slotsInUse } from './cell-rest.ts';

type Outcome = 'waits' | 'went' | 'left';

/** Values are eight equal bytes, which encode their version. */
export const valueOf = (version: number): Uint8Array => new Uint8Array(8).fill(version);

export class CellShadows implements Witness {
  readonly cell: WatchCell<Uint8Array>;
  readonly #shadows: { outcome: Outcome; readonly leave: () => void }[] = [];

  constructor(cell: WatchCell<Uint8Array>) {
    this.cell = cell;
    cell.get();
  }

  come(times = 1): void {
    for (let count = 0; count < times; count++) {
      const { signal, leave } = signalByHand();
      const shadow: { outcome: Outcome; leave: () => void } = { outcome: 'waits', leave };
      this.#shadows.push(shadow);
      this.cell.changedAsync({ signal, ref: false }).then(
        () => (shadow.outcome = 'went'),
        (failure: unknown) => (shadow.outcome = hasCode(failure, 'SLUICE_CLOSED') ? 'went' : 'left'),
      );
    }
  }

  leave(index: number): void {
    this.#shadows[index]?.leave();
  }

  get #waiting(): number {
    return this.#shadows.filter(({ outcome }) => outcome === 'waits').length;
  }

  /** Returns the expected state. The recovery finishes a set that was begun, and changes nothing else. */
  expected(words: Words, victim: number): readonly string[] {
    const { address } = this.cell.handle;
    const waits = [...records(words, HEADER_ELEMENT_POOL)].filter(({ record, owner }) => {
      const isHere =
        owner !== 0 &&
        owner !== victim &&
        words.get32(record + LINE) === address &&
        [QUEUED, LINKED, PARKED].includes(words.load32(record + GATE));
      return isHere && BigInt.asIntN(64, words.load64(address + GRANT) - words.get64(record + DRAWN)) < 1n;
    });
    const word = words.load64(address + GRANT);
    return [
      `version ${word >> BigInt(VERSION_BITS)}`,
      `closed: ${(word & BigInt(CELL_CLOSED)) !== 0n}`,
      `${waits.length} wait`,
      '0 slots in use',
    ];
  }

  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    await settle();
    const { version, closed } = this.cell;
    expect([
      `version ${version}`,
      `closed: ${closed}`,
      `${this.#waiting} wait`,
      `${slotsInUse(this.cell.arena, this.cell)} slots in use`,
    ]).toEqual(expected);
    expect(this.cell.get()).toEqual(valueOf(version));
    if (!closed) this.cell.set(valueOf(version + 1));
    await settle();
    expect([this.#waiting, this.cell.waiting]).toEqual([0, 0]);
  }

  /** Checks that the value is whole, and that its slot is not free. */
  async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await settle();
    if (how === 'leave') for (const shadow of this.#shadows) if (shadow.outcome === 'waits') shadow.leave();
    await settle();
    const { version } = this.cell;
    const value = this.cell.get();
    return value.every((byte) => byte === version) ? [] : [`version ${version} has the value ${[...value].join(' ')}`];
  }
}

export interface CellScene {
  readonly stage: Stage;
  readonly shadows: CellShadows;
  readonly ours: WatchCell<Uint8Array>;
  /** The victim's own instance, which has read the first value. */
  readonly theirs: WatchCell<Uint8Array>;
}

export function cellScene(stage: Stage): CellScene {
  const ours = WatchCell.create(valueOf(0), { arena: stage.living.arena, name: 'cell', codec: 'bytes', maxBytes: 8 });
  const shadows = new CellShadows(ours);
  stage.witnesses.push(shadows);
  const theirs = WatchCell.from<Uint8Array>(stage.world.handle(ours.handle, stage.victim));
  theirs.get();
  return { stage, shadows, ours, theirs };
}

export function atCell(
  name: string,
  prepare: (scene: CellScene) => () => unknown,
  world: Operation['world'] = {},
): Operation {
  return { name, world, prepare: (stage) => prepare(cellScene(stage)) };
}
