// What this thread's tools know of a primitive: one object for all instances of it, found by its line.

import {
  arenaId,
  asLine,
  BLOCK_KIND,
  BLOCK_TAG,
  blockOf,
  blocks,
  FLAG_SHARED,
  FLAGS,
  kindCode,
  kindOf,
  readName,
  type AgentContext,
} from '@sluice/core/internal';
import { nameOf } from '../wording.ts';

/** The kind of a recursive mutex. */
const RECURSIVE = /* @__PURE__ */ kindCode('remux');

/** The side of a read-write lock, or '' for every other primitive. */
export type RwLockSide = '' | 'read' | 'write';

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
  /** Whether its owner can lock it again. Only the outermost lock and unlock count. */
  readonly isRecursive: boolean;
  readonly tag: number;
  /** How often this agent holds it now, as far as the tools know. Each lock of a recursive lock counts. */
  depth = 0;
  /** The permits that this agent has acquired since the tools follow it, and those that it has released. */
  taken = 0;
  given = 0;
  /** Whether one agent owns it at a time, or each of its keys. */
  isOwned = false;
  /** The entry of this primitive in the order checks. */
  subject: object | undefined = undefined;

  constructor(context: AgentContext, line: number, tag: number) {
    const { words } = context;
    this.context = context;
    this.arena = arenaId(words);
    this.tag = tag;
    this.address = line === 0 ? 0 : blockOf(words, line);
    this.kind = line === 0 ? 'condition' : kindOf(context, this.address);
    this.name = line === 0 ? '' : readName(words, this.address);
    this.side = line === 0 ? '' : sideOf(context, line);
    this.isRecursive = line !== 0 && words.load32(this.address + BLOCK_KIND) === RECURSIVE;
  }

  /** How reports name it: "lock 'accounts'", "lock 'index' (write)". */
  toString(): string {
    return this.side === '' ? nameOf(this) : `${nameOf(this)} (${this.side})`;
  }
}

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
  const tag = line === 0 ? 0 : Math.abs(context.words.load32(line + BLOCK_TAG));
  // The memory of a freed primitive may have another one.
  if (found?.tag === tag) return found;
  const primitive = new UsedPrimitive(context, line, tag);
  all.set(line, primitive);
  return primitive;
}

/** Returns the primitive with that tag; a condition of the program, if there is none. */
export function primitiveWithTag(context: AgentContext, tag: number): UsedPrimitive {
  if (tag === 0) return primitiveAt(context, 0);
  for (const block of blocks(context.words))
    if (context.words.load32(block + BLOCK_TAG) === tag) return primitiveAt(context, asLine(block));
  return primitiveAt(context, 0);
}
