// The place of a capacitor with two lanes in a world. Its lanes are at the semaphores' places. Its own line is before
// them, at the place of a sixth agent.

import type { Words } from '@sluice/model';
import {
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_TAG,
  ENTRY_LINE,
  ENTRY_TAG,
  FLAG_GATE,
  FLAGS,
  GRANT,
  HEADER_HEAP,
} from '../../../core/src/kernel/layout.ts';
import { entryAt, layBlocks, semaphoreAddress, tagOf } from '../../../core/test/model/places.ts';
import { ARRIVED, CREDITED, FLAG_LANED, HOME, LANE_BITS } from '../../src/kernel/layout.ts';
import { LANE, LANED_CAPACITOR } from '../../src/gates/kinds.ts';

export const TAG = tagOf(0);
export const LANES: readonly number[] = [semaphoreAddress(0), semaphoreAddress(1)];
export const LANED = semaphoreAddress(-1);

export function layOutLanes(words: Words, limit: number, agents: number, start: bigint): void {
  words.put32(HEADER_HEAP, LANED);
  layBlocks(words, [[LANED, 3 * BLOCK_LINE, LANED_CAPACITOR.code]]);
  for (const [word, value] of [
    [BLOCK_TAG, TAG],
    [FLAGS, FLAG_GATE | FLAG_LANED],
    [LANE_BITS, 1],
    [ARRIVED, Number(start)],
    [CREDITED, Number(BigInt.asIntN(32, start + BigInt(limit)))],
  ] as const) {
    words.put32(LANED + word, value);
  }
  for (const [lane, line] of LANES.entries()) {
    words.put32(line + BLOCK_KIND, LANE.code);
    words.put32(line + HOME, LANED);
    words.put64(line + GRANT, start + BigInt(Math.floor((limit - 1 - lane) / 2) + 1));
  }
  for (let agent = 0; agent < agents; agent++) {
    words.put32(entryAt(agent, 0) + ENTRY_LINE, LANED);
    words.put32(entryAt(agent, 1) + ENTRY_TAG, 0);
  }
}
