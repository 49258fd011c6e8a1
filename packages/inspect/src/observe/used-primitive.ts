// What this thread's tools know of a primitive: one object for all instances of it, found by its line.

import { asLine, BLOCK_KIND, BLOCK_TAG, FLAG_SHARED, FLAGS } from '@sluice/core/format';
import { kindCode, readName, tagAt, type AgentContext } from '@sluice/core/internal';
import { arenaId, blockOf, blocks, kindOf } from '@sluice/core/report';
import { nameOf } from '../report/wording.ts';

/** The kind of a recursive mutex. */
const RECURSIVE = /* @__PURE__ */ kindCode('remux');

/** The side of a read-write lock, or '' for every other primitive. */
export type RwLockSide = '' | 'read' | 'write' | 'upgradeable';

/**
 * How a thread asks for a lock, and how it holds it. `'upgrade'`: the upgradeable reader asks for the write lock, and
 * holds it as a writer then.
 */
export type HoldMode = 'read' | 'write' | 'upgradeable' | 'upgrade';

/** A primitive that this thread uses, or one side of a read-write lock. */
export class UsedPrimitive {
  /** The agent through which the thread uses it. */
  readonly context: AgentContext;
  /** The id of the arena. */
  readonly arena: string;
  /** The address of the block. 0: a wait for a condition of the program, which has no block. */
  readonly address: number;
  /** As in reports: 'lock', 'semaphore'. */
  readonly kind: string;
  /** '' if it has none. */
  readonly name: string;
  readonly side: RwLockSide;
  readonly mode: HoldMode;
  /** Whether its owner can lock it again. Only the outermost lock and unlock count. */
  readonly isRecursive: boolean;
  readonly tag: number;
  /** How often this agent holds it now, as far as the tools know. Each lock of a recursive lock counts. */
  depth = 0;
  /** The permits that this agent has acquired since the tools follow it, and those that it has released. */
  taken = 0;
  given = 0;
  /** Calls that have acquired it. */
  calls = 0;
  /** The tool that counts them since it looked at `calls`. */
  countedBy: object | undefined = undefined;
  /** Whether one agent owns it at a time, or each of its keys. */
  isOwned = false;
  /** The entry of this primitive in the order checks. */
  subject: object | undefined = undefined;

  /** `mode`: only if the line does not tell it. */
  constructor(context: AgentContext, line: number, tag: number, mode?: 'upgradeable' | 'upgrade') {
    const { words } = context;
    this.context = context;
    this.arena = arenaId(words);
    this.tag = tag;
    this.address = line === 0 ? 0 : blockOf(words, line);
    this.kind = line === 0 ? 'condition' : kindOf(context, this.address);
    this.name = line === 0 ? '' : readName(words, this.address);
    const side = line === 0 ? '' : sideOf(context, line);
    this.side = mode === undefined ? side : SIDES[mode];
    this.mode = mode ?? (side === 'read' ? 'read' : 'write');
    this.isRecursive = line !== 0 && words.load32(this.address + BLOCK_KIND) === RECURSIVE;
  }

  /** How reports name it: "lock 'accounts'", "lock 'index' (write)". */
  toString(): string {
    return this.side === '' ? nameOf(this) : `${nameOf(this)} (${this.side})`;
  }
}

const SIDES = { upgradeable: 'upgradeable', upgrade: 'write' } as const;

function sideOf({ words }: AgentContext, line: number): RwLockSide {
  const block = blockOf(words, line);
  if ((words.get32(block + FLAGS) & FLAG_SHARED) === 0) return '';
  return line === block ? 'read' : 'write';
}

const known = new WeakMap<AgentContext, Map<number, UsedPrimitive>>();

/** Returns the primitive whose line is at that address, or the side of it that has the line. */
export function primitiveAt(context: AgentContext, line: number): UsedPrimitive {
  const all = known.get(context) ?? new Map<number, UsedPrimitive>();
  known.set(context, all);
  const found = all.get(line);
  const tag = line === 0 ? 0 : tagAt(context.words, line);
  // The memory of a freed primitive may have another one.
  if (found?.tag === tag) return found;
  const primitive = new UsedPrimitive(context, line, tag);
  all.set(line, primitive);
  return primitive;
}

/** Returns the upgradeable side of the read-write lock in that block, or its way from there to the write lock. */
export function upgradeableAt(context: AgentContext, block: number, mode: 'upgradeable' | 'upgrade'): UsedPrimitive {
  const all = known.get(context) ?? new Map<number, UsedPrimitive>();
  known.set(context, all);
  // Neither is the address of a line.
  const at = block + (mode === 'upgrade' ? 2 : 1);
  const tag = tagAt(context.words, block);
  const found = all.get(at);
  if (found?.tag === tag) return found;
  const primitive = new UsedPrimitive(context, block, tag, mode);
  all.set(at, primitive);
  return primitive;
}

/** Returns the primitive with that tag; a condition of the program, if there is none. */
export function primitiveWithTag(context: AgentContext, tag: number): UsedPrimitive {
  if (tag === 0) return primitiveAt(context, 0);
  for (const block of blocks(context.words))
    if (context.words.load32(block + BLOCK_TAG) === tag) return primitiveAt(context, asLine(block));
  return primitiveAt(context, 0);
}
