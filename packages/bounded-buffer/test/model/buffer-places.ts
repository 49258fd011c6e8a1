// The place of a buffer in a world, behind the world's other words, and the place of the witness's records behind the
// buffer.

import type { Words } from '@sluice/model';
import {
  AGENT_SWEEP,
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_SIZE,
  BLOCK_TAG,
  ENTRY_LINE,
  ENTRY_TAG,
  FLAG_RECOVERY,
  FLAG_LAST,
  FLAG_WANTS,
  FLAGS,
  GRANT,
  HEADER_BUCKET_MASK,
  HEADER_HEAP,
  HEADER_TOP,
  LIMIT,
  OFFICE,
  OWNER,
  OWNERS_AT,
  TICKET,
} from '../../../core/src/kernel/layout.ts';
import { agentAt, END, entryAt, layBlocks } from '../../../core/test/model/places.ts';
import { MIN_UNITS, POSITION, RING_BYTES, ROOM, SEEN, HAS_HEAD } from '../../src/kernel/layout.ts';
import { BUFFER as KIND, SIDE_LOCK } from '../../src/sides/kinds.ts';

export const BUFFER = Math.ceil(END / BLOCK_LINE) * BLOCK_LINE;
const LINES = 7;
/** The number of cells of the ring that have space. */
const MAX_ROOM = 4;
const MAX_VALUES = 6;
const MAX_AGENTS = 6;

/** Sides: 0 producers, 1 consumers. */
export const SIDES = [0, 1] as const;
export const sideAt = (side: number): number => BUFFER + (1 + side) * BLOCK_LINE;
export const lineAt = (side: number): number => BUFFER + (3 + side) * BLOCK_LINE;
export const moreAt = (side: number): number => BUFFER + (5 + side) * BLOCK_LINE;
export const tagOfLine = (line: number): number => 7 + line;
const RING = BUFFER + LINES * BLOCK_LINE;
export const cellAt = (position: number, room: number): number => RING + 4 * (position & (ringSize(room) - 1));

/** The n-th value that was ever in the buffer. */
export const valueAt = (n: number): number => RING + 4 * (MAX_ROOM + n);
/** Per agent: the value that it pushes, until it is in the buffer; 1 + the number of the value that it took. */
export const puttingAt = (agent: number): number => valueAt(MAX_VALUES) + 4 * agent;
export const tookAt = (agent: number): number => puttingAt(MAX_AGENTS) + 4 * agent;
/** The number of arrivals in a queue. */
export const ARRIVALS = tookAt(MAX_AGENTS);
/**
 * Per agent: the number of its arrival (0: it is in no queue), its queue, the end of its ticket, and the units that it
 * wants. An agent counts as queued until it has taken them.
 */
const waiterAt = (agent: number): number => ARRIVALS + 8 + 24 * agent;
export const placeAt = (agent: number): number => waiterAt(agent);
export const lineOf = (agent: number): number => waiterAt(agent) + 4;
export const endAt = (agent: number): number => waiterAt(agent) + 8;
export const wantsAt = (agent: number): number => waiterAt(agent) + 16;
/** Per agent: the number of its last arrival. It stays when the agent leaves. */
export const lastPlaceAt = (agent: number): number => waiterAt(agent) + 20;
export const BYTES = waiterAt(MAX_AGENTS);

/** Positions wrap at 2^32, so the number of units in the ring is a power of two. */
const ringSize = (room: number): number => 2 ** Math.ceil(Math.log2(room));

const FLAGS_OF_LINES = [
  0b110 << OWNERS_AT,
  0,
  0,
  FLAG_RECOVERY | FLAG_WANTS,
  FLAG_RECOVERY | FLAG_WANTS,
  FLAG_WANTS,
  FLAG_WANTS | FLAG_LAST,
];

/** Words that never change. `closes`: except the one that says whether the buffer is closed. */
export function stillWordsOf(closes: boolean, survivors: readonly number[]): readonly number[] {
  const line = (index: number): number => BUFFER + index * BLOCK_LINE;
  const lines = [0, 1, 2, 3, 4, 5, 6].map(line);
  return [
    ...[HEADER_HEAP, HEADER_TOP, HEADER_BUCKET_MASK, BUFFER + BLOCK_SIZE, BUFFER + RING_BYTES],
    ...lines.map((address) => address + BLOCK_TAG).slice(0, closes ? 3 : LINES),
    ...lines.flatMap((address) => [address + FLAGS, address + BLOCK_KIND]),
    ...SIDES.flatMap((side) => [sideAt(side) + ROOM, lineAt(side) + LIMIT, moreAt(side) + LIMIT]),
    ...survivors.flatMap((agent) => [OWNER, ...(closes ? [] : [AGENT_SWEEP])].map((word) => agentAt(agent) + word)),
  ];
}

/** Positions that start at `start`, in units of room and in values. */
export const startOf = (start: bigint): bigint => BigInt.asIntN(64, (start << 32n) | BigInt.asUintN(32, start));

/** `start`: where positions and counters start. */
export function layOutBuffer(words: Words, room: number, agents: number, start: bigint): void {
  const bytes = LINES * BLOCK_LINE + 4 * MAX_ROOM;
  words.put32(HEADER_HEAP, BUFFER);
  words.put32(HEADER_TOP, BUFFER + bytes);
  layBlocks(words, [[BUFFER, bytes, KIND.code]]);
  words.put32(sideAt(0) + ROOM, room);
  words.put32(BUFFER + MIN_UNITS, 1);
  words.put32(BUFFER + RING_BYTES, 4 * ringSize(room));
  for (let line = 0; line < LINES; line++) {
    const address = BUFFER + line * BLOCK_LINE;
    words.put32(address + BLOCK_TAG, tagOfLine(line));
    words.put32(address + FLAGS, FLAGS_OF_LINES[line] ?? 0);
    if (line === 1 || line === 2) words.put32(address + BLOCK_KIND, SIDE_LOCK.code);
  }
  const position = startOf(start);
  for (const side of SIDES) {
    words.put64(sideAt(side) + POSITION, position);
    words.put64(sideAt(side) + SEEN, position);
    for (const line of [lineAt(side), moreAt(side)])
      for (const word of [TICKET, GRANT]) words.put64(line + word, start);
    for (let agent = 0; agent < agents; agent++) {
      words.put32(entryAt(agent, side) + ENTRY_LINE, lineAt(side));
      words.put32(entryAt(agent, side) + ENTRY_TAG, tagOfLine(3 + side));
    }
  }
}

export const positionOf = (words: Words, side: number): bigint => words.get64(sideAt(side) + POSITION);
/** 1: the line has a head. */
export const headsAt = (words: Words, side: number): number => words.get32(sideAt(side) + HAS_HEAD);
export const isClosed = (words: Words): boolean => words.get32(lineAt(0) + BLOCK_TAG) < 0;
export const roomOf = (words: Words): number => words.get32(sideAt(0) + ROOM);
/** Whether the lock is owned or waited for. A notice only says that the permit is free. */
export const officeOf = (words: Words, side: number): bigint => words.get64(sideAt(side) + OFFICE) & ~(1n << 32n);

const low = (value: bigint): number => Number(BigInt.asIntN(32, value));
const high = (value: bigint): number => Number(BigInt.asIntN(32, value >> 32n));

/** The distance from one position to another, in units of room and in values. */
export const ahead = (a: bigint, b: bigint): { readonly room: number; readonly values: number } => ({
  room: (low(a) - low(b)) | 0,
  values: (high(a) - high(b)) | 0,
});

/** The units that are there for a side. */
export function unitsOf(words: Words, side: number): number {
  const { room, values } = ahead(positionOf(words, 0), positionOf(words, 1));
  return side === 0 ? roomOf(words) - room : values;
}

/** The name of a word of the buffer in traces. `undefined`: it is not a word of the buffer. */
export function labelOf(address: number): string | undefined {
  if (address < BUFFER) return undefined;
  if (address >= BYTES) return undefined;
  if (address >= valueAt(0)) return `note+${address - valueAt(0)}`;
  if (address >= RING) return `cell${(address - RING) / 4}`;
  const line = Math.floor((address - BUFFER) / BLOCK_LINE);
  const offset = (address - BUFFER) % BLOCK_LINE;
  return `${LINE_NAMES[line] ?? line}.${WORD_NAMES.get(offset) ?? offset}`;
}

const LINE_NAMES = ['buffer', 'producers', 'consumers', 'room', 'values', 'more room', 'more values'];
const WORD_NAMES = new Map([
  [BLOCK_TAG, 'tag'],
  [TICKET, 'ticket'],
  [GRANT, 'grant'],
  [OFFICE, 'lock'],
  [POSITION, 'position'],
  [SEEN, 'seen'],
  [HAS_HEAD, 'has head'],
]);
