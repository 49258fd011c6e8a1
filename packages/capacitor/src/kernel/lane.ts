// Finds the lanes of a capacitor, and records the duty to open them. The head of lanes.ts explains their words.

import { AGENT_DUTY, asLine, BLOCK_LINE, type AgentAddress, type LineAddress } from '@sluice/core/format';
import { areaOf, get32, put32 } from '@sluice/core/kernel';
import { LANE_BITS, LANES_LEFT } from './layout.ts';

/** A lane has two lines, 128 bytes. */
const LANE_SHIFT: i32 = 7;

/** Returns lane `index`, modulo the number of lanes. */
export function laneAt(capacitor: LineAddress, index: i32): LineAddress {
  return asLine(capacitor + BLOCK_LINE + ((index & lastLane(capacitor)) << LANE_SHIFT));
}

export function lastLane(capacitor: LineAddress): i32 {
  return (1 << get32(capacitor + LANE_BITS)) - 1;
}

/** Records that the lanes are to be opened. The walk opens them one by one. */
export function openLanes(capacitor: LineAddress, agent: AgentAddress): void {
  put32(capacitor + LANES_LEFT, lastLane(capacitor) + 1);
  // Name the kind first: with `jsEngine` an agent may die in between.
  areaOf(agent, laneAt(capacitor, 0));
  put32(agent + AGENT_DUTY, capacitor);
}
