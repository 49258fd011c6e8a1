// The entries of a table as blocks of the arena: primitives with data behind their line. An `EntryKind` describes the
// kind of primitive.

import type { Arena } from '@sluice/core';
import { asBlock, BLOCK_KIND, BLOCK_LINE, BLOCK_SIZE, BLOCK_TAG, FLAG_LAST, FLAGS } from '@sluice/core/format';
import { freePrimitive, tagAt, type AgentContext, type BlockRef } from '@sluice/core/internal';
import { blocks } from '@sluice/core/report';
import { TABLE, TABLE_TAG } from './layout.ts';
import type { TableMemory } from './entry-lists.ts';

/** The kind of primitive that the entries of a table are. */
export interface EntryKind {
  /** Their BLOCK_KIND. */
  readonly code: number;
  /**
   * Creates a free primitive with `bytes` behind its line. `fill` writes the data before another agent can find it.
   * Throws `ArenaFullError`.
   */
  create(arena: Arena, name: string, bytes: number, fill: (data: number) => void): number;
  isFree(context: AgentContext, entry: number, despiteDeath: boolean): boolean;
  /** Called after an entry was freed. */
  freed?(context: AgentContext, entry: number): void;
  /** Gives up a used entry after a death, if another entry has replaced it. */
  abandon?(ref: BlockRef): void;
}

export class EntryBlocks implements TableMemory {
  readonly words: TableMemory['words'];
  readonly table: number;
  readonly tag: number;
  readonly #ref: BlockRef;
  readonly #kind: EntryKind;
  readonly #labelOf: (key: string) => string;

  /** `ref` is that of the table. `labelOf` returns the name of a key's primitive. */
  constructor(ref: BlockRef, kind: EntryKind, labelOf: (key: string) => string) {
    this.words = ref.context.words;
    this.table = ref.address;
    this.tag = ref.tag;
    this.#ref = ref;
    this.#kind = kind;
    this.#labelOf = labelOf;
  }

  refOf(entry: number): BlockRef {
    const { arena, context } = this.#ref;
    return { arena, context, address: asBlock(entry), tag: tagAt(context.words, entry) };
  }

  dataOf(entry: number): number {
    return entry + BLOCK_LINE;
  }

  create(bytes: number, key: string, fill: (data: number) => void): number {
    return this.#kind.create(this.#ref.arena, this.#labelOf(key), bytes, fill);
  }

  isFree(entry: number, despiteDeath: boolean): boolean {
    return this.#kind.isFree(this.#ref.context, entry, despiteDeath);
  }

  /** Frees an unused entry that is in no list. */
  free(entry: number): void {
    freePrimitive(this.refOf(entry), 'The lock of a key');
    this.#kind.freed?.(this.#ref.context, entry);
  }

  abandon(entry: number): void {
    this.#kind.abandon?.(this.refOf(entry));
  }

  /** Yields the entries of the table among all blocks of the arena, including entries in no list. */
  *everyEntry(): Generator<number> {
    const { words } = this.#ref.context;
    for (const block of blocks(words)) {
      if (words.load32(block + BLOCK_KIND) !== this.#kind.code || words.load32(block + BLOCK_TAG) === 0) continue;
      if ((words.get32(block + FLAGS) & FLAG_LAST) === 0 || words.load32(block + BLOCK_SIZE) <= BLOCK_LINE) continue;
      const data = block + BLOCK_LINE;
      if (words.load32(data + TABLE) === this.table && words.load32(data + TABLE_TAG) === this.tag) yield block;
    }
  }
}
