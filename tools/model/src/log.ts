// The log of one agent: all answers that it has got so far. The agent's own state is a function of the log, so the
// log's hash represents the state.

import type { WaitResult } from './types.ts';
import { PAUSE } from './operation.ts';
import { highHalf, lowHalf } from './wide.ts';

export type Answer = number | bigint | WaitResult;

/** Entries removed from the end. The search puts them back when it backtracks. */
export interface Removed {
  readonly from: number;
  readonly entries: readonly (readonly [answer: Answer, code: number, pure: number, a: number, b: number])[];
}

export const codeOf = (kind: number, address: number): number => address * 32 + kind;

export class Log {
  length = 0;
  readonly answers: Answer[] = [];
  readonly codes: number[] = [];
  /** By entry: 1 if the operation changed nothing that another agent can see. */
  #pure = new Uint8Array(64);
  /** At index n: the hash of the first n entries. */
  #a = new Int32Array(65);
  #b = new Int32Array(65);

  constructor(seed: number) {
    this.#a[0] = Math.imul(seed + 1, 0x9e3779b1);
    this.#b[0] = Math.imul(seed + 1, 0x7feb352d);
  }

  get hashA(): number {
    return this.#a[this.length] as number;
  }
  get hashB(): number {
    return this.#b[this.length] as number;
  }

  append32(code: number, answer: number, pure: boolean): void {
    this.#append(code, answer, pure);
    this.#mix(answer);
  }

  append64(code: number, answer: bigint, pure: boolean): void {
    this.#append(code, answer, pure);
    this.#mix(lowHalf(answer));
    this.#mix(highHalf(answer));
  }

  appendWait(code: number, answer: WaitResult): void {
    this.#append(code, answer, false);
    this.#mix(answer === 'ok' ? 1 : answer === 'timed-out' ? 2 : 3);
  }

  /** Appends an entry whose hash depends only on the summary. The hash of the entries before it is forgotten. */
  appendForget(code: number, count: number, summary: readonly number[]): void {
    this.#append(code, 0, false);
    this.#a[this.length] = (this.#a[0] as number) ^ 0x51ed270b;
    this.#b[this.length] = (this.#b[0] as number) ^ 0x3c6ef372;
    this.#mix(count);
    for (const value of summary) this.#mix(value);
  }

  /** Returns the index at which the pure entries at the end begin. */
  roundStart(): number {
    let start = this.length;
    while (start > 0 && this.#pure[start - 1] === 1) start -= 1;
    return start;
  }

  isPause(at: number): boolean {
    return at >= 0 && ((this.codes[at] as number) & 31) === PAUSE;
  }

  /** Returns whether the entries from `start` on repeat the entries just before the preceding pause. */
  repeatsRound(start: number): boolean {
    const back = this.length - start + 1;
    if (start - back < 0) return false;
    for (let at = start; at < this.length; at += 1) {
      if (this.codes[at] !== this.codes[at - back] || this.answers[at] !== this.answers[at - back]) return false;
    }
    return true;
  }

  truncate(length: number): Removed {
    const entries: [Answer, number, number, number, number][] = [];
    for (let at = length; at < this.length; at += 1) {
      const a = this.#a[at + 1] as number;
      entries.push([
        this.answers[at] as Answer,
        this.codes[at] as number,
        this.#pure[at] as number,
        a,
        this.#b[at + 1] as number,
      ]);
    }
    this.length = length;
    return { from: length, entries };
  }

  restore({ from, entries }: Removed): void {
    entries.forEach(([answer, code, pure, a, b], offset) => {
      const at = from + offset;
      this.answers[at] = answer;
      this.codes[at] = code;
      this.#pure[at] = pure;
      this.#a[at + 1] = a;
      this.#b[at + 1] = b;
    });
  }

  // The function is one-to-one both in the value and in the previous 64 bits. So two different logs get equal hashes
  // only by a 64-bit coincidence.
  #mix(value: number): void {
    let a = this.#a[this.length] as number;
    let b = this.#b[this.length] as number;
    a = Math.imul(a ^ value, 0x85ebca6b);
    a ^= a >>> 15;
    b = Math.imul((b + a) ^ ((value << 16) | (value >>> 16)), 0xc2b2ae35);
    b ^= b >>> 13;
    this.#a[this.length] = (a + b) | 0;
    this.#b[this.length] = b;
  }

  #append(code: number, answer: Answer, pure: boolean): void {
    const at = this.length;
    if (at === this.#pure.length) this.#grow();
    this.answers[at] = answer;
    this.codes[at] = code;
    this.#pure[at] = pure ? 1 : 0;
    this.#a[at + 1] = this.#a[at] as number;
    this.#b[at + 1] = this.#b[at] as number;
    this.length = at + 1;
  }

  #grow(): void {
    const size = 2 * this.#pure.length;
    const pure = new Uint8Array(size);
    const a = new Int32Array(size + 1);
    const b = new Int32Array(size + 1);
    pure.set(this.#pure);
    a.set(this.#a);
    b.set(this.#b);
    this.#pure = pure;
    this.#a = a;
    this.#b = b;
  }
}
