// Merges the tombstones of the papers' semaphores, as the core does in its waiting array (core: agent/compaction.ts).
// kernel/merge.ts has the steps, and the reason why they are safe.

import {
  ABANDONED,
  AGENT_CHAIN,
  asElement,
  asLine,
  DRAWN,
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_TAG,
  COUNT,
  FLAG_OWN_CHAIN,
  FLAGS,
  GATE,
  KIND_AREA,
  LEAVING,
  NEXT,
  OWN_CHAIN,
  LINE,
  type BlockAddress,
  type ElementAddress,
  type LineAddress,
} from '@sluice/core/format';
import { checkLength, type KindAgent, type Words } from '@sluice/core/internal';
import { blocks } from '@sluice/core/report';
import { FLAG_BOX, FLAG_DEALER, KIND_SEMA } from './kernel/layout.ts';
import type { MemberKernel } from './family-kernel.ts';

const MAX_PERMITS = 2 ** 31 - 1;

/** An element of a detached chain, with its neighbours above and below. */
interface Link {
  readonly element: ElementAddress;
  /** The distance from the chain's first element. */
  readonly depth: number;
  /** For a tombstone: the distance of its ticket from that of the chain's first element. */
  ticket: number;
  permits: number;
  above: Link | undefined;
  below: Link | undefined;
}

/**
 * Merges at all of these semaphores. Returns the number of elements and blocks that it visited. Call it only while the
 * agent has nothing in flight.
 */
export function mergeEverywhere(context: KindAgent): number {
  const { words } = context;
  let visits = 0;
  for (const block of blocks(words)) {
    visits += 1;
    const tag = words.load32(block + BLOCK_TAG);
    if (tag <= 0 || words.load32(block + BLOCK_KIND) !== KIND_SEMA) continue;
    const line = lineWithTombstones(words, block);
    if (line !== 0) visits += mergeAt(context, line, tag);
  }
  return visits;
}

/** Returns the line of the semaphore if it has its own chain with elements in it, otherwise 0. */
function lineWithTombstones(words: Words, block: BlockAddress): LineAddress | 0 {
  const flags = words.get32(block + FLAGS);
  if ((flags & FLAG_DEALER) !== 0) return 0;
  const line = asLine((flags & FLAG_BOX) === 0 ? block : block + BLOCK_LINE);
  return (words.get32(line + FLAGS) & FLAG_OWN_CHAIN) !== 0 && words.load32(line + OWN_CHAIN) !== 0 ? line : 0;
}

/**
 * Merges at a line with its own chain, if the line still has that tag. Returns the number of elements that it visited.
 */
export function mergeAt(context: KindAgent, line: LineAddress, tag: number): number {
  const { words, agent } = context;
  const kernel = context.kernel as MemberKernel;
  kernel.beginMerge(agent, line, tag);
  const { visits, tombstones } = readChain(words, asElement(words.get32(agent + KIND_AREA + AGENT_CHAIN)), line);
  tombstones.sort((one, other) => one.ticket - other.ticket);
  let last: Link | undefined;
  for (const next of tombstones)
    last = last !== undefined && areNeighbours(last, next) ? merge(kernel, last, next) : next;
  context.finishWalk();
  return visits;
}

function readChain(
  words: Words,
  first: ElementAddress,
  line: LineAddress,
): { readonly visits: number; readonly tombstones: Link[] } {
  const tombstones: Link[] = [];
  const start = first === 0 ? 0n : words.get64(first + DRAWN);
  let above: Link | undefined;
  let depth = 0;
  for (let element = first; element !== 0; element = asElement(words.get32(element + NEXT))) {
    depth += 1;
    checkLength(words, depth);
    const link: Link = { element, depth, ticket: 0, permits: words.get32(element + COUNT), above, below: undefined };
    if (above !== undefined) above.below = link;
    above = link;
    if (
      words.load32(element + GATE) !== ABANDONED ||
      words.get32(element + LEAVING) === 0 ||
      words.get32(element + LINE) !== line
    )
      continue;
    link.ticket = Number(BigInt.asIntN(64, words.get64(element + DRAWN) - start));
    tombstones.push(link);
  }
  return { visits: depth, tombstones };
}

function areNeighbours(last: Link, next: Link): boolean {
  return last.ticket + last.permits === next.ticket && last.permits + next.permits <= MAX_PERMITS;
}

/**
 * Merges two tombstones. The ticket of `next` follows that of `last`. Returns the tombstone that stays: the higher one
 * in the chain.
 */
function merge(kernel: MemberKernel, last: Link, next: Link): Link {
  const [kept, gone] = last.depth < next.depth ? [last, next] : [next, last];
  const { above, below } = gone;
  // Below `kept`, so it is not the first.
  if (above === undefined) return next;
  kernel.mergeNeighbours(above.element, kept.element, gone.element);
  above.below = below;
  if (below !== undefined) below.above = above;
  kept.ticket = last.ticket;
  kept.permits = last.permits + next.permits;
  return kept;
}
