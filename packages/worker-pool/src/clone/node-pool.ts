// Pooled memory of Node.js: the small Buffers of a process share an ArrayBuffer, whatever they contain.
//
// A clone of such a Buffer contains the entire ArrayBuffer, with the contents of other Buffers. So the Buffer is first
// copied to memory of its own.

import { Buffer } from 'node:buffer';
import * as threads from 'node:worker_threads';

/** The lengths of such ArrayBuffers in different versions of Node.js, beside `Buffer.poolSize`. */
const POOL_BYTES: readonly number[] = [8192, 65_536];

const known = new WeakMap<ArrayBufferLike, boolean>();

export interface ViewBytes {
  readonly buffer: ArrayBufferLike;
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** Whether a view with that extent covers a part of such an ArrayBuffer. */
export function isPooled({ buffer, byteLength }: ViewBytes): boolean {
  const length = buffer.byteLength;
  if (byteLength === length || (length !== Buffer.poolSize && !POOL_BYTES.includes(length))) return false;
  let is = known.get(buffer);
  if (is === undefined) known.set(buffer, (is = isUntransferable(buffer)));
  return is;
}

/** Node.js marks these ArrayBuffers as untransferable, which distinguishes them from others. */
function isUntransferable(buffer: ArrayBufferLike): boolean {
  const ask = (threads as { readonly isMarkedAsUntransferable?: (value: object) => boolean }).isMarkedAsUntransferable;
  return ask === undefined ? isLeftOut(buffer) : ask(buffer);
}

/**
 * Finds the mark in Node.js 20, which has no query for it. There a transfer list skips marked buffers, and does not
 * report a duplicate of them. The message itself always fails.
 */
function isLeftOut(buffer: ArrayBufferLike): boolean {
  const { port1 } = new threads.MessageChannel();
  try {
    port1.postMessage(() => undefined, [buffer as ArrayBuffer, buffer as ArrayBuffer]);
    return false;
  } catch (failure) {
    return !(failure as Error).message.includes('duplicate');
  } finally {
    port1.close();
  }
}

interface Placed extends ViewBytes {
  readonly view: ArrayBufferView;
}

/** Copies the views. The copies of overlapping views share memory, and nothing else is in that memory. */
export function copiesOf(views: readonly ArrayBufferView[]): Map<object, ArrayBufferView> {
  const copies = new Map<object, ArrayBufferView>();
  const byPlace = (one: ViewBytes, other: ViewBytes): number => one.byteOffset - other.byteOffset;
  const placed = views.map((view): Placed => ({ view, ...extentOf(view) }));
  for (const buffer of new Set(placed.map((one) => one.buffer))) {
    const sharing = placed.filter((one) => one.buffer === buffer);
    let group: Placed[] = [];
    let end = 0;
    for (const one of sharing.sort(byPlace)) {
      if (group.length > 0 && one.byteOffset >= end) {
        copyGroup(group, end, copies);
        group = [];
      }
      end = Math.max(end, one.byteOffset + one.byteLength);
      group.push(one);
    }
    copyGroup(group, end, copies);
  }
  return copies;
}

const MAX_ALIGNMENT = 8;

function copyGroup(group: readonly Placed[], end: number, copies: Map<object, ArrayBufferView>): void {
  const [first] = group;
  if (first === undefined) return;
  const isAligned = group.every(({ view }) => alignmentOf(view) === 1);
  // The same remainder as before: a view of wider numbers must begin at a multiple of their width.
  const gap = isAligned ? 0 : first.byteOffset % MAX_ALIGNMENT;
  const bytes = new Uint8Array(gap + end - first.byteOffset);
  for (const { buffer, byteOffset, byteLength } of group) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), gap + byteOffset - first.byteOffset);
  }
  for (const { view, byteOffset } of group)
    copies.set(view, viewLike(view, bytes.buffer, gap + byteOffset - first.byteOffset));
}

interface ViewClass {
  new (buffer: ArrayBuffer, byteOffset: number, length: number): ArrayBufferView;
  readonly BYTES_PER_ELEMENT?: number;
}

/** Returns the width of the view's numbers, in bytes. */
export function alignmentOf(view: ArrayBufferView): number {
  return classOfView(nameOfView(view)).BYTES_PER_ELEMENT ?? 1;
}

/** Creates a view of the class that a clone of `view` has. A Buffer becomes a Uint8Array. */
function viewLike(view: ArrayBufferView, buffer: ArrayBufferLike, byteOffset: number): ArrayBufferView {
  return new (classOfView(nameOfView(view)))(
    buffer as ArrayBuffer,
    byteOffset,
    extentOf(view).byteLength / alignmentOf(view),
  );
}

const TypedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;

/** Reads the extent of a view with the language's own getters, whatever prototype the view has. */
export function extentOf(view: ArrayBufferView): ViewBytes {
  const owner = Reflect.get(TypedArray, Symbol.toStringTag, view) === undefined ? DataView.prototype : TypedArray;
  const of = (name: keyof ViewBytes): unknown => Reflect.get(owner, name, view);
  return {
    buffer: of('buffer') as ArrayBufferLike,
    byteOffset: of('byteOffset') as number,
    byteLength: of('byteLength') as number,
  };
}

/** Returns the name of the language's own class of a view, whatever class extends it. */
export function nameOfView(view: ArrayBufferView): string {
  return (Reflect.get(TypedArray, Symbol.toStringTag, view) as string | undefined) ?? 'DataView';
}

export function classOfView(name: string): ViewClass {
  return (globalThis as unknown as Record<string, ViewClass>)[name] as ViewClass;
}
