// A snapshot of an arena, for people and for tests. Words change while it is taken. Each value is correct, but the
// values may be of different moments.

import type { Engine } from '../kernel/kernel.ts';
import { BLOCK_SIZE, BLOCK_TAG, HEADER_MAX_PAGES, HEADER_TOP } from '../kernel/layout.ts';
import { blocks } from '../memory/blocks.ts';
import { PAGE_BYTES } from '../memory/heap.ts';
import type { ElementCounts } from './element-scan.ts';
import type { Onlooker } from './holders-and-waiters.ts';
import { readUses, type ReadUses } from './read-waits.ts';
import { readName } from '../memory/name.ts';
import { hasName, kindOf } from './kind-of.ts';
import { reportAgents, type AgentReport } from './report-agents.ts';

export interface BlockReport {
  /** 'semaphore', 'lock', 'region', 'pool', 'free', or the name that a package gives its kind. */
  readonly kind: string;
  readonly name: string;
  readonly address: number;
  readonly bytes: number;
  readonly closed: boolean;
}

export interface ArenaReport {
  readonly id: string;
  readonly engine: Engine;
  readonly pages: number;
  readonly maxPages: number;
  /** Size in bytes up to the end of the last block. */
  readonly used: number;
  readonly agents: readonly AgentReport[];
  readonly blocks: readonly BlockReport[];
  /** Numbers of the elements of waiters. */
  readonly elements: Readonly<ElementCounts>;
}

/** `read`: what was read of its waits and holdings, if the caller has read them. */
export function reportArena(
  context: Onlooker,
  id: string,
  engine: Engine,
  read: ReadUses = readUses(context),
): ArenaReport {
  const { words, heap } = context;
  return {
    id,
    engine,
    pages: heap.bytes / PAGE_BYTES,
    maxPages: words.get32(HEADER_MAX_PAGES),
    used: words.load32(HEADER_TOP),
    agents: reportAgents(context, read),
    blocks: reportBlocks(context),
    elements: read.counts,
  };
}

function reportBlocks(context: Onlooker): BlockReport[] {
  const { words } = context;
  return [...blocks(words)].map((address) => {
    return {
      kind: kindOf(context, address),
      name: hasName(words, address) ? readName(words, address) : '',
      address,
      bytes: words.get32(address + BLOCK_SIZE),
      closed: words.load32(address + BLOCK_TAG) < 0,
    };
  });
}
