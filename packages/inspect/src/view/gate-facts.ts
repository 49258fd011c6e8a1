// Whose turn it is at a lock in turns, and the platoons of a capacitor, from the words of their blocks.

import { kindCode } from '@sluice/core/internal';
import { BLOCK_KIND, FLAG_TURNS, FLAGS, LIMIT, TURN, TURN_OF } from '@sluice/core/format';
import { isOwnedLock, type Reader } from '@sluice/core/report';
import type { Platoon, Turn } from '../drawing/rows.ts';

/** The word of a capacitor with the departures to come. This thread has not loaded the package that defines it. */
export const TALLY = 56;

/** The kinds of capacitors with platoons, by their short names. */
export const WITH_PLATOONS: readonly string[] = ['cap', 'capov', 'laned'];

let codes: ReadonlySet<number> | undefined;

export interface GateFacts {
  readonly turn?: Turn;
  readonly platoon?: Platoon;
}

/** `agents`: the ids of the agents of the arena. */
export function gateFacts({ words }: Pick<Reader, 'words'>, block: number, agents: readonly number[]): GateFacts {
  codes ??= new Set(WITH_PLATOONS.map(kindCode));
  if (codes.has(words.load32(block + BLOCK_KIND))) {
    const [limit, left] = [words.load32(block + LIMIT), words.load32(block + TALLY)];
    return limit < 1 ? {} : { platoon: { limit, left: Math.max(0, left) } };
  }
  if ((words.get32(block + FLAGS) & FLAG_TURNS) === 0 || !isOwnedLock(words, block)) return {};
  const turn = words.load32(block + TURN);
  // The word has the low bits of the agent's id.
  const of = turn === 0 ? undefined : agents.find((agent) => ((agent << TURN_OF) ^ turn) >>> TURN_OF === 0);
  return { turn: { of: of ?? 0 } };
}
