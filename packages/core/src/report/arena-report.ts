// A snapshot of an arena, for people and for tests. Words change while it is taken. Each value is correct, but the
// values may be of different moments.

import type { Engine } from '../kernel/kernel.ts';
import { BLOCK_SIZE, BLOCK_TAG, GATE, HEADER_ELEMENT_POOL, HEADER_MAX_PAGES, HEADER_TOP } from '../kernel/layout.ts';
import { ABANDONED } from '../kernel/states.ts';
import { blocks } from '../memory/blocks.ts';
import { PAGE_BYTES } from '../memory/heap.ts';
import { isWaiting, type Onlooker } from './holders-and-waiters.ts';
import { readName } from '../memory/name.ts';
import { hasName, kindOf } from './kind-of.ts';
import { records } from '../memory/records.ts';
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
  /** Numbers of elements: the total, those without an owner, those that wait, and those whose waiters cancelled. */
  readonly elements: {
    readonly total: number;
    readonly free: number;
    readonly waiting: number;
    readonly abandoned: number;
  };
}

export function reportArena(context: Onlooker, id: string, engine: Engine): ArenaReport {
  const { words, heap } = context;
  return {
    id,
    engine,
    pages: heap.bytes / PAGE_BYTES,
    maxPages: words.get32(HEADER_MAX_PAGES),
    used: words.load32(HEADER_TOP),
    agents: reportAgents(context),
    blocks: reportBlocks(context),
    elements: reportElements(context),
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

function reportElements({ words }: Onlooker): ArenaReport['elements'] {
  const counts = { total: 0, free: 0, waiting: 0, abandoned: 0 };
  for (const { record, owner } of records(words, HEADER_ELEMENT_POOL)) {
    const gate = words.load32(record + GATE);
    counts.total += 1;
    if (owner === 0) counts.free += 1;
    else if (isWaiting(gate)) counts.waiting += 1;
    else if (gate === ABANDONED) counts.abandoned += 1;
  }
  return counts;
}
