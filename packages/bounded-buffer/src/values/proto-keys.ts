// Escapes properties named `__proto__` for msgpackr, which reads that name as `__proto_` so that no input changes a
// prototype.
//
// The key is sent as `\0__proto__`. A key that already looks escaped gets one more `\0`. The reader removes one `\0`.
// Bytes without the text `__proto__` contain no such key, so other values cost only one search.

const PROTO = /* @__PURE__ */ Array.from('__proto__', (letter) => letter.charCodeAt(0));
const [UNDERSCORE = 0] = PROTO;
const NAME = /^\0*__proto__$/;
const ESCAPED = /^\0+__proto__$/;
/** In arrays up to this length a loop finds a byte faster than `indexOf`. */
const FEW = 128;

/** Whether the bytes contain the text `__proto__`. */
export function mentionsProto(bytes: Uint8Array): boolean {
  for (let at = nextUnderscore(bytes, 0); at >= 0; at = nextUnderscore(bytes, at + 1)) {
    if (PROTO.every((letter, index) => bytes[at + index] === letter)) return true;
  }
  return false;
}

/**
 * Returns a clone of `value` with escaped keys, or `value` itself if it has none to escape. Throws `DataCloneError` if
 * it cannot be cloned.
 */
export function escapeProto(value: unknown): unknown {
  if (![...objectsIn(value)].some((object) => Object.keys(object).some((key) => NAME.test(key)))) return value;
  const clone: unknown = structuredClone(value);
  for (const object of [...objectsIn(clone)]) renameKeys(object, NAME, (key) => `\0${key}`);
  return clone;
}

/** Removes the escapes from the keys of a value that was just read. */
export function restoreProto(value: unknown): void {
  for (const object of [...objectsIn(value)]) renameKeys(object, ESCAPED, (key) => key.slice(1));
}

function nextUnderscore(bytes: Uint8Array, from: number): number {
  if (bytes.length > FEW) return bytes.indexOf(UNDERSCORE, from);
  for (let at = from; at < bytes.length; at++) if (bytes[at] === UNDERSCORE) return at;
  return -1;
}

/** Yields each object that `value` leads to, once. Calls no getter. */
function* objectsIn(value: unknown): Generator<object> {
  const seen = new Set<object>();
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null || ArrayBuffer.isView(next) || seen.has(next)) continue;
    seen.add(next);
    yield next;
    if (next instanceof Map) for (const [key, inner] of next) open.push(key, inner);
    else if (next instanceof Set) open.push(...next);
    for (const key of Object.getOwnPropertyNames(next)) open.push(Object.getOwnPropertyDescriptor(next, key)?.value);
  }
}

/** Renames matching keys in place: the object keeps its identity, and its keys their order. */
function renameKeys(object: object, names: RegExp, rename: (key: string) => string): void {
  const keys = Object.keys(object);
  if (!keys.some((key) => names.test(key))) return;
  const properties = keys.map(
    (key) => [names.test(key) ? rename(key) : key, Object.getOwnPropertyDescriptor(object, key) ?? {}] as const,
  );
  for (const key of keys) Reflect.deleteProperty(object, key);
  // Defined, not assigned: `__proto__` is an ordinary name here.
  for (const [key, property] of properties) Object.defineProperty(object, key, property);
}
