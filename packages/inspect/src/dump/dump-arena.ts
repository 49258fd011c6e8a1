// Copies the memory of an arena that a report reads, without the values that the program keeps there.

import type { Arena } from '@sluice/core';
import { checkFlag, checkOptions } from '@sluice/core/calls';
import {
  AGENT_ARMED,
  AGENT_NAME,
  AGENT_SCRATCH,
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_SIZE,
  FLAG_LAST,
  FLAGS,
  HEADER_AGENT_POOL,
  HEADER_HEAP,
  HEADER_MAP,
  HEADER_TOP,
  KIND_POOL,
  KIND_SEMAPHORE,
  LAST_BASE_KIND,
  LAYOUT_VERSION,
  OWNER,
  POOL_RECORDS,
} from '@sluice/core/format';
import { chosenArena } from '@sluice/core/internal';
import { arenaId, ARMED_WAITS, blocks, poolBlocks, reportArena, type Onlooker } from '@sluice/core/report';
import { onlookerOf } from '../report/reader.ts';
import { encodeDump, indexAt, type DumpedLife, type Segment } from './dump-file.ts';

export interface DumpOptions {
  /** Whether the dump has the whole memory, with the values in buffers, regions and the like. Default `false`. */
  readonly payload?: boolean;
}

/**
 * Returns a dump of an arena: what a report needs of its memory, with the names of primitives and threads. Write it to a
 * file, and print its report later by `npx @sluice/inspect FILE` or `formatDump`.
 *
 * Without `payload` it has no value of the program: no element of a buffer, no byte of a region, nothing that a seq-lock
 * or a cache holds. The keys of keyed locks are names. Words change while the memory is copied, as for a report.
 *
 * ```ts run
 * import { Arena, Semaphore } from '@sluice/core';
 * import { dumpArena, formatDump } from '@sluice/inspect';
 *
 * const arena = Arena.create();
 * Semaphore.create(2, { arena, name: 'connections' }).acquire();
 * const dump = dumpArena(arena); // writeFileSync('arena.dump', dump)
 * console.log(formatDump(dump).includes("semaphore 'connections': held by agent 1")); // true
 * ```
 *
 * @param arena - Default: the realm's default arena.
 * @throws {TypeError} If `arena` is no arena, or an option has the wrong type or is unknown.
 * @throws {MisuseError} If this thread's agent has left the arena.
 */
export function dumpArena(arena?: Arena, options: DumpOptions = {}): Uint8Array<ArrayBuffer> {
  checkOptions(options, ['payload']);
  const { payload = false } = options;
  checkFlag('payload', payload);
  const chosen = chosenArena(arena);
  return dumpOf(onlookerOf(chosen), chosen.handle.memory, payload);
}

/** Returns a dump of the arena in a memory. */
export function dumpOf(
  onlooker: Onlooker,
  memory: { readonly buffer: ArrayBufferLike; grow(pages: number): number },
  payload: boolean,
): Uint8Array<ArrayBuffer> {
  const { words, parking } = onlooker;
  const id = arenaId(words);
  const { agents, pages } = reportArena(onlooker, id, 'wasm');
  // Growing by 0 renews the buffer, which may be older than another agent's growth of the memory.
  memory.grow(0);
  const lives = agents.map(({ agent, life }): DumpedLife => ({ agent, life }));
  const ranges = payload
    ? [[0, Math.min(words.load32(HEADER_TOP), memory.buffer.byteLength)] as const]
    : [...structures(onlooker)];
  const segments = joined(ranges).map(([from, to]): Segment => {
    return { address: from, bytes: new Uint8Array(memory.buffer, from, to - from).slice() };
  });
  prepareProbes(onlooker, segments, lives);
  return encodeDump({
    facts: { layout: LAYOUT_VERSION, arena: id, date: parking.date(), pages, payload, lives },
    segments,
  });
}

type Range = readonly [from: number, to: number];

/** Yields the ranges of memory that a report reads. */
function* structures(onlooker: Onlooker): Generator<Range> {
  const { words } = onlooker;
  const [heap, top, map] = [words.get32(HEADER_HEAP), words.load32(HEADER_TOP), words.get32(HEADER_MAP)];
  // The header, the buckets and the lists, and of the map what stands for the heap.
  yield [0, map];
  const mapTo = map + Math.ceil(top / BLOCK_LINE / 64) * 8;
  yield [map, Math.min(mapTo, heap)];
  const agentBlocks = new Map(
    [...poolBlocks(words, words.load32(HEADER_AGENT_POOL))].map((each) => [each.block, each]),
  );
  for (const block of blocks(words)) {
    const kind = words.load32(block + BLOCK_KIND);
    const size = Math.min(words.get32(block + BLOCK_SIZE), top - block);
    const agentBlock = agentBlocks.get(block);
    if (agentBlock !== undefined) yield* agentRecords(block, agentBlock.count, agentBlock.stride);
    else if (kind === KIND_POOL) yield [block, block + size];
    else if (kind > LAST_BASE_KIND || kind === KIND_SEMAPHORE) yield [block, linesEnd(onlooker, block, size)];
    // A region has its name in its first line, and a free block its size.
    else yield [block, block + Math.min(size, BLOCK_LINE)];
  }
}

/** Records without the copies that a step of their agents makes of values. */
function* agentRecords(block: number, count: number, stride: number): Generator<Range> {
  yield [block, block + POOL_RECORDS];
  for (let record = block + POOL_RECORDS; record < block + POOL_RECORDS + count * stride; record += stride) {
    yield [record, record + AGENT_SCRATCH];
    yield [record + AGENT_NAME, record + stride];
  }
}

/** Returns the end of the lines of a block. What follows is data. */
function linesEnd({ words }: Onlooker, block: number, size: number): number {
  let line = block;
  while (line + BLOCK_LINE < block + size && (words.get32(line + FLAGS) & FLAG_LAST) === 0) line += BLOCK_LINE;
  return Math.min(line + BLOCK_LINE, block + size);
}

/** Joins neighbouring ranges, and puts them in order. */
function joined(ranges: readonly Range[]): Range[] {
  const all: [number, number][] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = all.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else if (to > from) all.push([from, to]);
  }
  return all;
}

/** Sets the number of answers of each agent in the copy, so that the reader's probe is made where the life is known. */
function prepareProbes({ words }: Onlooker, segments: readonly Segment[], lives: readonly DumpedLife[]): void {
  const isKnown = new Set(lives.filter(({ life }) => life !== 'unknown').map(({ agent }) => agent));
  for (const { block, count, stride } of poolBlocks(words, words.load32(HEADER_AGENT_POOL))) {
    for (let index = 0; index < count; index++) {
      const record = block + POOL_RECORDS + index * stride;
      const segment = segments[indexAt(segments, record)];
      if (segment === undefined) continue;
      const view = new DataView(segment.bytes.buffer, segment.bytes.byteOffset, segment.bytes.byteLength);
      const at = record - segment.address;
      view.setInt32(at + AGENT_ARMED, isKnown.has(view.getInt32(at + OWNER, true)) ? ARMED_WAITS : 0, true);
    }
  }
}
