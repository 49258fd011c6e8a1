// Frees gates that a dead worker created and no other agent knows.

import type { Arena } from '@sluice/core';
import { TtsLock } from '@sluice/classics';
import { BLOCK_KIND } from '../../../core/src/kernel/layout.ts';
import type { Words } from '../../../core/src/kernel/words.ts';
import { TTS } from '../../../classics/src/kinds.ts';
import { CAPACITOR, LANED_CAPACITOR, TURNSTILE } from '../../src/gates/kinds.ts';
import { openGate, type AnyGateHandle } from '../jobs/gates.mjs';

const GATE_KINDS: ReadonlyMap<number, AnyGateHandle['kind']> = new Map([
  [CAPACITOR.code, 'sluice.capacitor'],
  [LANED_CAPACITOR.code, 'sluice.laned-capacitor'],
  [TURNSTILE.code, 'sluice.turnstile'],
]);

/** Frees a gate, or the lock that was behind it. */
export function freeOrphanedGate(arena: Arena, words: Words, address: number, tag: number): void {
  const found = words.load32(address + BLOCK_KIND);
  const kind = GATE_KINDS.get(found);
  if (kind !== undefined) openGate({ ...arena.handle, kind, address, tag }).free();
  else if (found === TTS.code) TtsLock.from({ ...arena.handle, kind: 'sluice.tts-lock', address, tag }).free();
  else throw new Error(`there is no gate and no lock at ${address}`);
}
