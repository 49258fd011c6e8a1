// Keeps the places of this thread's calls in the table that reports read.

import { tagAt, type BlockRef } from '@sluice/core/internal';
import { callersOfCall, callersOfWait } from '../observe/calls.ts';
import { callers, placesText } from '../observe/call-place.ts';
import type { UsedPrimitive } from '../observe/used-primitive.ts';
import { IdleTool, type ObservedWait } from '../observe/tool.ts';
import type { PlaceTable, PlaceUse } from '../tables/place-table.ts';

/** The places of a stack that are kept: the call and its caller. */
const FRAMES = 2;

export class PlaceKeeper extends IdleTool {
  sample: number;
  readonly #table: PlaceTable;
  /** The calls until the next one whose place is kept. */
  #left = 1;
  /** The primitives whose holds have places. */
  readonly #held = new Set<UsedPrimitive>();
  /** The number of waits of this thread that have begun and not ended. */
  readonly #waits = new Map<UsedPrimitive, number>();

  constructor(table: PlaceTable, sample: number) {
    super();
    this.#table = table;
    this.sample = sample;
  }

  override opened({ isNew = false, arena, address, context }: BlockRef, instance: object): void {
    if (isNew) this.#table.created(arena.id, address, tagAt(context.words, address), textOf(callers(instance, true)));
  }

  override holdAsked(): unknown {
    this.#left -= 1;
    if (this.#left > 0) return undefined;
    this.#left = this.sample;
    return textOf(callersOfCall());
  }

  override holdBegins(primitive: UsedPrimitive, _permits: number, _slot: string, asked: unknown): void {
    if (typeof asked !== 'string') return;
    this.#held.add(primitive);
    this.#set('holds', primitive, asked);
  }

  override holdEnds(primitive: UsedPrimitive): void {
    if (primitive.depth === 0 && this.#held.delete(primitive)) this.#set('holds', primitive, '');
  }

  override waitBegins({ primitive }: ObservedWait): void {
    this.#waits.set(primitive, (this.#waits.get(primitive) ?? 0) + 1);
    // A wait takes longer than reading its stack.
    this.#set('waits', primitive, textOf(callersOfWait()));
  }

  override waitEnds({ primitive }: ObservedWait): void {
    const waits = this.#waits.get(primitive) ?? 0;
    if (waits > 1) this.#waits.set(primitive, waits - 1);
    else if (this.#waits.delete(primitive)) this.#set('waits', primitive, '');
  }

  #set(use: PlaceUse, { arena, context, address }: UsedPrimitive, place: string): void {
    if (address !== 0) this.#table.used(arena, context.id, use, address, tagAt(context.words, address), place);
  }
}

function textOf(stack: Parameters<typeof placesText>[0]): string {
  return placesText(stack, FRAMES);
}
