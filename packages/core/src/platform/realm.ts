// Recognizes values of every realm.
//
// A test runner (Jest, jsdom, Vitest's VM pools), a frame or a `node:vm` context has its own classes. So `instanceof`
// returns false for values from outside: from a message, a clone, or Node.js itself. Each function here, except
// `isError`, checks a property that only such an object has. All functions accept any value, and never throw.

/**
 * Whether the value has the tag, and the internal slot that the getter of `Class` reads. The tag comes first: for
 * another value the getter throws, which takes microseconds.
 */
function hasSlot(value: unknown, tag: string, Class: { readonly prototype: object }, name: string): boolean {
  if (tagOf(value) !== tag) return false;
  try {
    return Object.getOwnPropertyDescriptor(Class.prototype, name)?.get?.call(value) !== undefined;
  } catch {
    return false;
  }
}

const nameOfView = /* @__PURE__ */ Object.getOwnPropertyDescriptor(
  /* @__PURE__ */ Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
);

/**
 * Returns the name of the built-in class of a typed array, even if its own class extends that class. Returns
 * `undefined` for all other values.
 */
export function typedArrayName(value: unknown): string | undefined {
  return nameOfView?.get?.call(value) as string | undefined;
}

/** Whether it is a `Uint8Array`, such as a `Buffer`. */
export function isUint8Array(value: unknown): value is Uint8Array {
  return typedArrayName(value) === 'Uint8Array';
}

/** Whether it is a `SharedArrayBuffer`. */
export function isSharedBuffer(value: unknown): value is SharedArrayBuffer {
  // Look the class up at each call: a page without cross-origin isolation has no such class.
  return (
    typeof SharedArrayBuffer === 'function' && hasSlot(value, 'SharedArrayBuffer', SharedArrayBuffer, 'byteLength')
  );
}

const lengthOfBuffer = /* @__PURE__ */ Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength');

/** Whether the buffer of a view is an `ArrayBuffer`, which no other thread can change. */
export function isArrayBuffer(value: unknown): value is ArrayBuffer {
  // `instanceof` is cheaper than the tag. It is false for a shared buffer, for which the getter would throw.
  if (!inherits(value, ArrayBuffer) && tagOf(value) !== 'ArrayBuffer') return false;
  try {
    return lengthOfBuffer?.get?.call(value) !== undefined;
  } catch {
    return false;
  }
}

/**
 * The members of a `WebAssembly.Memory` that this file needs. Its declarations must not need the types of WebAssembly,
 * which a user's project may lack.
 */
interface Memory {
  readonly buffer: ArrayBufferLike;
  grow(pages: number): number;
}

/** Whether it is a `WebAssembly.Memory`. */
export function isMemory(value: unknown): value is Memory {
  return typeof WebAssembly === 'object' && hasSlot(value, 'WebAssembly.Memory', WebAssembly.Memory, 'buffer');
}

/** Whether it is a `WebAssembly.Module`. */
export function isModule(value: unknown): boolean {
  if (typeof WebAssembly !== 'object' || tagOf(value) !== 'WebAssembly.Module') return false;
  try {
    WebAssembly.Module.customSections(value as WebAssembly.Module, '-');
    return true;
  } catch {
    return false;
  }
}

/** Tags of errors. A `DOMException` has a tag of its own. */
const ERROR_TAGS: readonly string[] = ['Error', 'DOMException'];

/**
 * Whether the value is an error or a `DOMException`. An object that only claims to be one, by its tag or by the
 * prototype of `Error`, counts, too: before Node.js 24 no check tells it from an error of another realm. Its properties
 * may have any type, and reading them may throw: see `messageOf`.
 */
export function isError(value: unknown): value is Error {
  if (typeof value !== 'object' || value === null) return false;
  const { isError: ask } = Error as { readonly isError?: (value: unknown) => boolean };
  return ask?.(value) === true || ERROR_TAGS.includes(tagOf(value)) || inherits(value, Error);
}

/** Whether the value is an instance of a class of this realm, or a proxy of one. */
function inherits(value: unknown, Class: ArrayBufferConstructor | ErrorConstructor): boolean {
  try {
    return value instanceof Class;
  } catch {
    return false;
  }
}

/** Returns the parts of an `AggregateError`: the array `errors`, which is not enumerable. */
export function errorsOf(error: Error): readonly unknown[] | undefined {
  const property = propertyOf(error, 'errors');
  const errors: unknown = property?.enumerable === false ? property.value : undefined;
  return Array.isArray(errors) ? errors : undefined;
}

function propertyOf(value: object, key: string): PropertyDescriptor | undefined {
  try {
    return Object.getOwnPropertyDescriptor(value, key);
  } catch {
    return undefined;
  }
}

/** Returns the error itself, or another thrown value as an error. */
export function asError(failure: unknown): Error {
  return isError(failure) ? failure : new Error(textOf(failure));
}

/** Returns the message of an error, or another thrown value as text. */
export function messageOf(failure: unknown): string {
  return textOf(isError(failure) ? propertyRead(failure, 'message') : failure);
}

function propertyRead(value: object, key: string): unknown {
  try {
    return (value as Readonly<Record<string, unknown>>)[key];
  } catch {
    return '';
  }
}

function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return `a thrown value of type ${typeof value}`;
  }
}

/**
 * Whether the value is a trap of a kernel step. The trap's class belongs to the realm of the kernel's module, which may
 * have come with a handle.
 */
export function isTrap(failure: unknown): failure is Error {
  return isError(failure) && propertyRead(failure, 'name') === 'RuntimeError';
}

/** Returns the tag of a value, such as `Error` in `[object Error]`. */
function tagOf(value: unknown): string {
  try {
    return Object.prototype.toString.call(value).slice(8, -1);
  } catch {
    return '';
  }
}
