// Memory that Node.js hands out in slices: the small Buffers of a process share an ArrayBuffer, whatever they contain.
//
// A clone of such a Buffer brings the whole ArrayBuffer, with the contents of other Buffers. So the Buffer is copied to memory of its own first.

import * as threads from 'node:worker_threads';

/** Lengths of such ArrayBuffers in different versions of Node.js, beside `Buffer.poolSize`. */
const POOL_BYTES: readonly number[] = [8192, 65_536];

const known = new WeakMap<ArrayBufferLike, boolean>();

/** Whether the view shows a part of such an ArrayBuffer. */
export function isPooled({ buffer, byteLength }: ArrayBufferView): boolean {
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

/** Copies each of these views. Views that overlap share memory again, and nothing else is in that memory. */
export function copiesOf(views: readonly ArrayBufferView[]): Map<object, ArrayBufferView> {
  const copies = new Map<object, ArrayBufferView>();
  const byPlace = (one: ArrayBufferView, other: ArrayBufferView): number => one.byteOffset - other.byteOffset;
  for (const buffer of new Set(views.map((view) => view.buffer))) {
    const sharing = views.filter((view) => view.buffer === buffer);
    let group: ArrayBufferView[] = [];
    let end = 0;
    for (const view of sharing.sort(byPlace)) {
      if (group.length > 0 && view.byteOffset >= end) {
        copyGroup(group, end, copies);
        group = [];
      }
      end = Math.max(end, view.byteOffset + view.byteLength);
      group.push(view);
    }
    copyGroup(group, end, copies);
  }
  return copies;
}

const MOST_ALIGNMENT = 8;

function copyGroup(group: readonly ArrayBufferView[], end: number, copies: Map<object, ArrayBufferView>): void {
  const [first] = group;
  if (first === undefined) return;
  const isAligned = group.every((view) => alignmentOf(view) === 1);
  // The same remainder as before: a view of wider numbers must begin at a multiple of their width.
  const gap = isAligned ? 0 : first.byteOffset % MOST_ALIGNMENT;
  const bytes = new Uint8Array(gap + end - first.byteOffset);
  for (const { buffer, byteOffset, byteLength } of group) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), gap + byteOffset - first.byteOffset);
  }
  for (const view of group) copies.set(view, viewLike(view, bytes.buffer, gap + view.byteOffset - first.byteOffset));
}

interface ViewClass {
  new (buffer: ArrayBuffer, byteOffset: number, length: number): ArrayBufferView;
  readonly BYTES_PER_ELEMENT?: number;
}

function alignmentOf(view: ArrayBufferView): number {
  return (view as Partial<Uint8Array>).BYTES_PER_ELEMENT ?? 1;
}

/** A view of the class that a clone of `view` has: a Buffer becomes a Uint8Array. */
export function viewLike(view: ArrayBufferView, buffer: ArrayBufferLike, byteOffset: number): ArrayBufferView {
  return new (classOfView(nameOfView(view)))(buffer as ArrayBuffer, byteOffset, view.byteLength / alignmentOf(view));
}

const TypedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;

/** The name of the language's own class, whatever class extends it. */
export function nameOfView(view: ArrayBufferView): string {
  return (Reflect.get(TypedArray, Symbol.toStringTag, view) as string | undefined) ?? 'DataView';
}

export function classOfView(name: string): ViewClass {
  return (globalThis as unknown as Record<string, ViewClass>)[name] as ViewClass;
}
