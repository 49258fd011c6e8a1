// A ring of words in the model's memory. A value has one cell per unit, and each cell is written and read in a step of
// its own. So a model sees a torn value, and a value that is not there yet.

import type { Context, Words } from '@sluice/model';
import type { ValueStore } from '../../src/values/store.ts';
import { cellAt } from './buffer-places.ts';

const UNIT = 100;
const AGENT = 10;

/** The n-th value of an agent. */
export const valueOf = (agent: number, n: number, units = 1): number => units * UNIT + agent * AGENT + n + 1;
export const unitsIn = (value: number): number => Math.floor(value / UNIT);
export const producerOf = (value: number): number => Math.floor((value % UNIT) / AGENT);

export class Cells implements ValueStore<number> {
  readonly unitBytes = 1;
  readonly mayFail = false;
  /** Whether steps write and read the values. */
  readonly isInt32: boolean;
  readonly #ctx: Context;
  readonly #words: Words;
  readonly #room: number;

  constructor(ctx: Context, words: Words, room: number, isInt32 = false) {
    this.isInt32 = isInt32;
    this.#ctx = ctx;
    this.#words = words;
    this.#room = room;
  }

  pack(value: unknown): number {
    return value as number;
  }

  unpack(value: number): number {
    return value;
  }

  keep(value: number): number {
    return value;
  }

  unitsOf(value: number): number {
    return unitsIn(value);
  }

  write(position: number, value: number): void {
    for (let unit = 0; unit < unitsIn(value); unit++) this.#words.store32(cellAt(position + unit, this.#room), value);
  }

  read(position: number): number {
    const value = this.#words.load32(cellAt(position, this.#room));
    this.#ctx.assert(value !== 0, 'a value is read before it was written');
    for (let unit = 1; unit < unitsIn(value); unit++) {
      const other = this.#words.load32(cellAt(position + unit, this.#room));
      this.#ctx.assert(other === value, `a value is torn: ${value} and ${other}`);
    }
    return value;
  }
}
