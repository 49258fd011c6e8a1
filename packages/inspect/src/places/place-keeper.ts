// Keeps the places of this thread's calls in the table that reports read.

import { BLOCK_TAG } from '@sluice/core/format';
import type { BlockRef } from '@sluice/core/internal';
import { callersOfCall, callersOfWait } from '../observe/calls.ts';
import { callers, placesText } from '../observe/call-place.ts';
import type { UsedPrimitive } from '../observe/primitive.ts';
import { IdleTool, type ObservedWait } from '../observe/tool.ts';
import type { PlaceTable, PlaceUse } from '../tables/place-table.ts';

/** The places of a stack that are kept: the call and its caller. */
const FRAMES = 2;

export class PlaceKeeper extends IdleTool {
  sample: number;
  readonly #table: PlaceTable;
  /** The calls until the next one whose place is kept. */
  #left = 1;
  /** The primitives whose holds and waits have places. */
  readonly #noted: Readonly<Record<PlaceUse, Set<UsedPrimitive>>> = { holds: new Set(), waits: new Set() };

  /** The waits of this thread that have begun and not ended. */
  readonly #waiting = new Map<UsedPrimitive, number>();

  constructor(table: PlaceTable, sample: number) {
    super();
    this.#table = table;
    this.sample = sample;
  }

  override opened({ isNew = false, arena, address, context }: BlockRef, instance: object): void {
    if (isNew) this.#table.created(arena.id, address, tagAt(context, address), textOf(callers(instance, true)));
  }

  override holdAsked(): unknown {
    this.#left -= 1;
    if (this.#left > 0) return undefined;
    this.#left = this.sample;
    return textOf(callersOfCall());
  }

  override holdBegins(primitive: UsedPrimitive, _permits: number, _slot: string, asked: unknown): void {
    if (typeof asked === 'string') this.#note('holds', primitive, asked);
  }

  override holdEnds(primitive: UsedPrimitive): void {
    if (primitive.depth === 0) this.#forget('holds', primitive);
  }

  override waitBegins({ primitive }: ObservedWait): void {
    this.#waiting.set(primitive, (this.#waiting.get(primitive) ?? 0) + 1);
    // A wait takes longer than reading its stack.
    this.#note('waits', primitive, textOf(callersOfWait()));
  }

  override waitEnds({ primitive }: ObservedWait): void {
    const left = (this.#waiting.get(primitive) ?? 1) - 1;
    if (left > 0) {
      this.#waiting.set(primitive, left);
      return;
    }
    this.#waiting.delete(primitive);
    this.#forget('waits', primitive);
  }

  #note(use: PlaceUse, primitive: UsedPrimitive, place: string): void {
    this.#noted[use].add(primitive);
    this.#set(use, primitive, place);
  }

  #forget(use: PlaceUse, primitive: UsedPrimitive): void {
    if (this.#noted[use].delete(primitive)) this.#set(use, primitive, '');
  }

  #set(use: PlaceUse, { arena, context, address }: UsedPrimitive, place: string): void {
    if (address !== 0) this.#table.used(arena, context.id, use, address, tagAt(context, address), place);
  }
}

function tagAt({ words }: BlockRef['context'], address: number): number {
  return Math.abs(words.load32(address + BLOCK_TAG));
}

function textOf(stack: Parameters<typeof placesText>[0]): string {
  return placesText(stack, FRAMES);
}
