// Memory that Node.js workers out in slices: the small Buffers of a process share an ArrayBuffer, whatever they contain.
//
// A clone of such a Buffer brings the whole ArrayBuffer, with the contents of other Buffers. So the Buffer is copied to memory of its own first.

import { Buffer } from 'node:buffer';
import * as threads from 'node:worker_threads';

/** Lengths of such ArrayBuffers in different versions of Node.js, beside `Buffer.poolSize`. */
const POOL_BYTES: readonly number[] = [8192, 65_536];

const known = new WeakMap<ArrayBufferLike, boolean>();

/** Where the bytes of a view are. */
export interface Extent {
  readonly buffer: ArrayBufferLike;
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** Whether a view with that extent shows a part of such an ArrayBuffer. */
export function isPooled({ buffer, byteLength }: Extent): boolean {
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

/** Node.js 20 has no query for the mark. There a transfer list skips marked buffers, so a duplicate is not reported. The message itself fails. */
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

interface Placed extends Extent {
  readonly view: ArrayBufferView;
}

/** Copies each of these views. Views that overlap share memory again, and nothing else is in that memory. */
export function copiesOf(views: readonly ArrayBufferView[]): Map<object, ArrayBufferView> {
  const copies = new Map<object, ArrayBufferView>();
  const byPlace = (one: Extent, other: Extent): number => one.byteOffset - other.byteOffset;
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

const MOST_ALIGNMENT = 8;

function copyGroup(group: readonly Placed[], end: number, copies: Map<object, ArrayBufferView>): void {
  const [first] = group;
  if (first === undefined) return;
  const isAligned = group.every(({ view }) => alignmentOf(view) === 1);
  // The same remainder as before: a view of wider numbers must begin at a multiple of their width.
  const gap = isAligned ? 0 : first.byteOffset % MOST_ALIGNMENT;
  const bytes = new Uint8Array(gap + end - first.byteOffset);
  for (const { buffer, byteOffset, byteLength } of group) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), gap + byteOffset - first.byteOffset);
  }
  for (const { view, byteOffset } of group) copies.set(view, viewLike(view, bytes.buffer, gap + byteOffset - first.byteOffset));
}

interface ViewClass {
  new (buffer: ArrayBuffer, byteOffset: number, length: number): ArrayBufferView;
  readonly BYTES_PER_ELEMENT?: number;
}

/** The width of the view's numbers in bytes. */
export function alignmentOf(view: ArrayBufferView): number {
  return classOfView(nameOfView(view)).BYTES_PER_ELEMENT ?? 1;
}

/** A view of the class that a clone of `view` has: a Buffer becomes a Uint8Array. */
function viewLike(view: ArrayBufferView, buffer: ArrayBufferLike, byteOffset: number): ArrayBufferView {
  return new (classOfView(nameOfView(view)))(buffer as ArrayBuffer, byteOffset, extentOf(view).byteLength / alignmentOf(view));
}

const TypedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;

/** What the language itself says of a view, whatever prototype it was given. */
export function extentOf(view: ArrayBufferView): Extent {
  const owner = Reflect.get(TypedArray, Symbol.toStringTag, view) === undefined ? DataView.prototype : TypedArray;
  const of = (name: keyof Extent): unknown => Reflect.get(owner, name, view);
  return { buffer: of('buffer') as ArrayBufferLike, byteOffset: of('byteOffset') as number, byteLength: of('byteLength') as number };
}

/** The name of the language's own class, whatever class extends it. */
export function nameOfView(view: ArrayBufferView): string {
  return (Reflect.get(TypedArray, Symbol.toStringTag, view) as string | undefined) ?? 'DataView';
}

export function classOfView(name: string): ViewClass {
  return (globalThis as unknown as Record<string, ViewClass>)[name] as ViewClass;
}
