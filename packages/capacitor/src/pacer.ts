// Adaptive B: platoons of about the same duration, however many agents there are and however fast the inner lock is.

import { LIMIT, type Place } from '@sluice/core/internal';
import type { Words } from '@sluice/core/internal';

export const FIRST_PLATOON = 64;
export const TARGET_MS = Number(process.env.TARGET_MS ?? 1);
const LEAST = 1;
const MOST = 1 << 24;
const OPENED = 32;
const PACED = 52;

export function startPacer(words: Words, capacitor: number): void {
  words.put32(capacitor + PACED, 1);
}

export function pacerOf({ seat: { words }, address }: Place): Pacer | undefined {
  return words.get32(address + PACED) === 1 ? new Pacer(words, address) : undefined;
}

export class Pacer {
  readonly #words: Words;
  readonly #capacitor: number;
  constructor(words: Words, capacitor: number) {
    this.#words = words;
    this.#capacitor = capacitor;
  }
  pace(): void {
    const now = performance.timeOrigin + performance.now();
    const opened = Number(this.#words.get64(this.#capacitor + OPENED)) / 1000;
    this.#words.put64(this.#capacitor + OPENED, BigInt(Math.round(now * 1000)));
    const took = now - opened;
    const before = this.#words.load32(this.#capacitor + LIMIT);
    const ratio = Math.min(2, Math.max(0.5, TARGET_MS / Math.max(took, 1e-6)));
    this.#words.store32(this.#capacitor + LIMIT, Math.min(MOST, Math.max(LEAST, Math.ceil(before * ratio))));
  }
}
