// The form of a dump: one file that is checked as a whole before anything of it is read.
//
//   0    8 bytes "SLUIDUMP"
//   8    the version of this form
//   12   the length in bytes of the facts
//   16   the length in bytes of all that follows this header
//   20   a CRC-32 of all other bytes
//   24   the facts, as JSON in UTF-8
//   …    the memory: for each segment of the facts, its bytes

import { CorruptArenaError } from '@sluice/core';
import { decodeText, encodeText, isUint8Array, show, typedArrayName } from '@sluice/core/calls';

const MARK = 'SLUIDUMP';
const VERSION = 1;
const HEADER_BYTES = 24;
const CHECKSUM_AT = 20;

/** Part of an arena's memory. */
export interface Segment {
  readonly address: number;
  readonly bytes: Uint8Array;
}

/** What a thread knew of an agent when it wrote the dump. */
export interface DumpedLife {
  readonly agent: number;
  readonly life: 'alive' | 'dead' | 'unknown';
}

/** What a dump says beside the memory. */
export interface DumpFacts {
  readonly layout: number;
  /** The arena's id. */
  readonly arena: string;
  /** ms since 1970. */
  readonly date: number;
  readonly pages: number;
  readonly payload: boolean;
  readonly lives: readonly DumpedLife[];
}

export interface Dump {
  readonly facts: DumpFacts;
  /** By ascending addresses, without overlaps. What lies between them is 0. */
  readonly segments: readonly Segment[];
}

/** Returns the error for bytes that are not a dump, or that were changed. */
export function damaged(what: string): CorruptArenaError {
  return new CorruptArenaError(`The dump cannot be read: ${what}. It was not written by Sluice, or was changed since.`);
}

/** Returns the index of the segment with that address, or -1. */
export function indexAt(segments: readonly Segment[], at: number): number {
  let [low, high] = [0, segments.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const { address, bytes } = segments[middle] as Segment;
    if (at < address) high = middle - 1;
    else if (at >= address + bytes.length) low = middle + 1;
    else return middle;
  }
  return -1;
}

/** Returns the bytes of the file. */
export function encodeDump({ facts, segments }: Dump): Uint8Array<ArrayBuffer> {
  const places = segments.map(({ address, bytes }) => [address, bytes.length]);
  const text = encodeText(JSON.stringify({ ...facts, segments: places }));
  const total = segments.reduce((sum, { bytes }) => sum + bytes.length, text.length);
  const file = new Uint8Array(HEADER_BYTES + total);
  const view = new DataView(file.buffer);
  file.set(encodeText(MARK));
  view.setUint32(8, VERSION, true);
  view.setUint32(12, text.length, true);
  view.setUint32(16, total, true);
  file.set(text, HEADER_BYTES);
  let at = HEADER_BYTES + text.length;
  for (const { bytes } of segments) {
    file.set(bytes, at);
    at += bytes.length;
  }
  view.setUint32(CHECKSUM_AT, checksumOf(file), true);
  return file;
}

/** Returns what the file says. Throws `CorruptArenaError`, and `TypeError` for what is no bytes. */
export function decodeDump(file: unknown): Dump {
  if (!isUint8Array(file))
    throw new TypeError(`A dump must be a Uint8Array: received ${typedArrayName(file) ?? show(file)}`);
  if (file.length < HEADER_BYTES) throw damaged(`it has ${file.length} bytes`);
  if (decodeText(file.slice(0, 8)) !== MARK) throw damaged('it does not begin as a dump does');
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const version = view.getUint32(8, true);
  if (version !== VERSION) throw damaged(`its version is ${version}, and this package reads version ${VERSION}`);
  const [textLength, total] = [view.getUint32(12, true), view.getUint32(16, true)];
  if (file.length !== HEADER_BYTES + total) throw damaged(`it has ${file.length} bytes of ${HEADER_BYTES + total}`);
  if (textLength > total) throw damaged('its facts are longer than it is');
  if (view.getUint32(CHECKSUM_AT, true) !== checksumOf(file)) throw damaged('its checksum does not fit');
  const facts = factsIn(file.slice(HEADER_BYTES, HEADER_BYTES + textLength));
  return { facts, segments: segmentsIn(facts.segments, file.subarray(HEADER_BYTES + textLength)) };
}

type RawFacts = DumpFacts & { readonly segments: readonly unknown[] };

function factsIn(bytes: Uint8Array): RawFacts {
  let facts: unknown;
  try {
    facts = JSON.parse(decodeText(bytes));
  } catch {
    throw damaged('its facts are no JSON');
  }
  if (!isFacts(facts)) throw damaged('its facts lack something');
  return facts;
}

function isFacts(facts: unknown): facts is RawFacts {
  if (typeof facts !== 'object' || facts === null) return false;
  const { layout, arena, date, pages, payload, lives, segments } = facts as Partial<Record<keyof RawFacts, unknown>>;
  return (
    Number.isInteger(layout) &&
    typeof arena === 'string' &&
    /^[0-9a-f]{16}$/.test(arena) &&
    Number.isFinite(date) &&
    isCount(pages) &&
    typeof payload === 'boolean' &&
    Array.isArray(lives) &&
    lives.every(isLife) &&
    Array.isArray(segments)
  );
}

function isLife(each: unknown): boolean {
  if (typeof each !== 'object' || each === null) return false;
  const { agent, life } = each as { readonly agent?: unknown; readonly life?: unknown };
  return isCount(agent) && (life === 'alive' || life === 'dead' || life === 'unknown');
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32;
}

function segmentsIn(places: readonly unknown[], memory: Uint8Array): Segment[] {
  let [at, end] = [0, 0];
  const segments = places.map((place): Segment => {
    const [address, length] = Array.isArray(place) ? (place as readonly unknown[]) : [];
    if (!isCount(address) || !isCount(length) || address % 8 !== 0 || length % 8 !== 0 || address < end)
      throw damaged('its segments are in no order');
    end = address + length;
    const bytes = memory.subarray(at, at + length);
    at += length;
    if (at > memory.length) throw damaged('its segments are longer than it is');
    return { address, bytes };
  });
  if (at !== memory.length) throw damaged('its segments are shorter than it is');
  return segments;
}

let table: Int32Array | undefined;

/** The CRC-32 of IEEE 802.3 over a file without the word of its checksum. */
export function checksumOf(file: Uint8Array): number {
  table ??= Int32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest & 1) === 0 ? rest >>> 1 : (rest >>> 1) ^ 0xedb88320;
    return rest;
  });
  let sum = -1;
  for (let at = 0; at < file.length; at++) {
    if (at === CHECKSUM_AT) at += 4;
    if (at < file.length) sum = (sum >>> 8) ^ (table[(sum ^ (file[at] as number)) & 0xff] as number);
  }
  return ~sum >>> 0;
}
