// The places in the program from which primitives were created, acquired and waited for, in a `SharedArrayBuffer` that
// all threads of the program write and that reports read. It is a table as the check of the order has one.
//
// An address of the table stands for the creation of a primitive, for the hold of an agent, or for its wait. For a hold
// and a wait the agent is a part of the hash that the table takes for the arena, so only that agent writes there. An
// agent that has died leaves its places: a report says where it acquired what it still holds.

import { environmentData, setEnvironmentData } from './environment-data.ts';
import { SharedTableMemory } from './shared-table-memory.ts';
import { hashOf, SharedTable, tableWords } from './shared-table.ts';

const MAGIC = 0x5e1d_91ac;
const VERSION = 1;

/** No edges of orders are here. */
const SHAPE = { firsts: 0, locks: 16_384, probes: 64, entries: 2048, entryWords: 96, nested: 0 };

/** The words of MAGIC and VERSION, before the table. */
const HEADER = 2;
const BYTES = (HEADER + tableWords(SHAPE)) * 4;

/** What an agent does with a primitive at a place. */
export type PlaceUse = 'holds' | 'waits';

interface PlaceEntry {
  readonly at: string;
}

export class PlaceTable {
  readonly memory: SharedArrayBuffer;
  readonly #table: SharedTable;
  /** The numbers of the entries that this thread has written, by their texts. */
  readonly #written = new Map<string, number>();
  /** By arena, agent and use. */
  readonly #hashes = new Map<string, number>();

  constructor(memory = new SharedArrayBuffer(BYTES)) {
    this.memory = memory;
    this.#table = new SharedTable(new SharedTableMemory(memory), SHAPE, HEADER);
    const words = new Int32Array(memory, 0, HEADER);
    if (words[0] !== 0) return;
    words[0] = MAGIC;
    words[1] = VERSION;
  }

  /** Whether the memory is a table of this version. */
  static is(memory: SharedArrayBuffer): boolean {
    if (memory.byteLength !== BYTES) return false;
    const [magic, version] = new Int32Array(memory, 0, HEADER);
    return magic === MAGIC && version === VERSION;
  }

  /** Notes where the primitive with that tag was created. Call it before another thread can find the primitive. */
  created(arena: string, address: number, tag: number, place: string): void {
    this.#set(this.#hash(arena), address, tag, place);
  }

  /** Notes where an agent acquired the primitive, or waits for it. '': it does so no more. Only the agent calls it. */
  used(arena: string, agent: number, use: PlaceUse, address: number, tag: number, place: string): void {
    this.#set(this.#hash(`${arena} ${agent} ${use}`), address, tag, place);
  }

  /** Returns the place of the creation, or ''. */
  createdAt(arena: string, address: number, tag: number): string {
    return this.#get(this.#hash(arena), address, tag);
  }

  /** Returns the place at which the agent acquired the primitive, or waits for it, or ''. */
  usedAt(arena: string, agent: number, use: PlaceUse, address: number, tag: number): string {
    return this.#get(hashOf(`${arena} ${agent} ${use}`), address, tag);
  }

  #set(hash: number, address: number, tag: number, place: string): void {
    this.#table.setClass(hash, address, tag, place === '' ? -1 : this.#entryOf(place));
  }

  #get(hash: number, address: number, tag: number): string {
    const number = this.#table.classOf(hash, address, tag);
    const entry = number < 0 ? undefined : (this.#table.entry(number) as PlaceEntry | undefined);
    return entry?.at ?? '';
  }

  /** Returns -1 if the table is full. */
  #entryOf(place: string): number {
    const known = this.#written.get(place);
    if (known !== undefined) return known;
    const short = place.slice(0, Math.max(0, place.indexOf(CALLED)));
    const choices = [place, ...(short === '' ? [] : [short])].map((at): PlaceEntry => ({ at }));
    const entry = this.#table.append(...choices);
    if (entry >= 0) this.#written.set(place, entry);
    return entry;
  }

  #hash(text: string): number {
    const known = this.#hashes.get(text);
    if (known !== undefined) return known;
    const hash = hashOf(text);
    this.#hashes.set(text, hash);
    return hash;
  }
}

/** Between a place and its caller. */
export const CALLED = ', called at ';

/** The key of the environment data. */
const HANDED = '@sluice/inspect places';

let own: PlaceTable | undefined;

/**
 * Returns the table of this thread: the one of the thread that started it, as far as the platform has environment data of
 * threads, as Node.js has. `undefined` if there is none.
 */
export function placeTable(): PlaceTable | undefined {
  if (own !== undefined) return own;
  const handed = environmentData(HANDED);
  if (isTable(handed)) own = new PlaceTable(handed);
  return own;
}

/** Returns the table of this thread, or creates one for it and for the threads that it starts. */
export function createPlaceTable(): PlaceTable {
  const there = placeTable();
  if (there !== undefined) return there;
  own = new PlaceTable();
  setEnvironmentData(HANDED, own.memory);
  return own;
}

/** Takes the table of another thread. */
export function takePlaceTable(memory: SharedArrayBuffer): PlaceTable {
  if (own?.memory !== memory) own = new PlaceTable(memory);
  setEnvironmentData(HANDED, memory);
  return own;
}

/** Whether a value is a table of this version. */
export function isTable(value: unknown): value is SharedArrayBuffer {
  return typeof SharedArrayBuffer === 'function' && value instanceof SharedArrayBuffer && PlaceTable.is(value);
}
