// Finds out which objects clone to plain objects.

import { types } from 'node:util';
import { Serializer } from 'node:v8';
import { clone } from './clone.ts';

/** Whether the prototype is `Object.prototype`, of this realm or another. */
export function isRoot(prototype: object | null): boolean {
  if (prototype === Object.prototype) return true;
  return (
    prototype !== null &&
    !types.isProxy(prototype) &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, '__lookupGetter__')
  );
}

/** Known results, by prototype. */
const ordinary = new WeakMap<object, boolean>();

/**
 * Whether a clone of the object is a plain object with the same properties.
 *
 * Objects of some classes of Node.js and the engine clone to more than that, and nothing distinguishes these classes
 * from a user's. So the first object of each class is cloned as a test.
 */
export function isOrdinary(value: object, prototype: object): boolean {
  const known = ordinary.get(prototype);
  if (known !== undefined) return known;
  const is = clonesAsPlain(value, prototype);
  if (is === undefined) return false;
  // An object may only have the prototype of a platform class, and the next object with that prototype may really be of
  // that class.
  if (!is || !isOfPlatform(prototype)) ordinary.set(prototype, is);
  return is;
}

/** Clones the object as a test. Returns `undefined` if the test is not conclusive for the class. */
function clonesAsPlain(value: object, prototype: object): boolean | undefined {
  try {
    return isRoot(Object.getPrototypeOf(clone(value)) as object | null);
  } catch {
    // Either the class prevents cloning, or only a value in this object, such as a port that is to be transferred.
    return !hasInside(value) && !isOfPlatform(prototype) && isWritten(value) ? true : undefined;
  }
}

/** Whether an object has contents beside its properties, whatever its prototype says. */
export function hasInside(value: object): boolean {
  return INSIDES.some((is) => is(value));
}

const INSIDES: readonly ((value: object) => boolean)[] = [
  ...[
    types.isMap,
    types.isSet,
    types.isNativeError,
    types.isArgumentsObject,
    types.isDate,
    types.isRegExp,
    types.isBoxedPrimitive,
  ],
  ...[
    types.isAnyArrayBuffer,
    types.isArrayBufferView,
    types.isPromise,
    types.isProxy,
    types.isWeakMap,
    types.isWeakSet,
  ],
  ...[
    types.isGeneratorObject,
    types.isMapIterator,
    types.isSetIterator,
    types.isModuleNamespaceObject,
    types.isExternal,
  ],
];

/** Node.js looks up these methods by symbols that it does not export. */
const CLONE_METHODS: readonly (string | undefined)[] = ['messaging_clone_symbol', 'messaging_transfer_symbol'];

/** Whether the class extends a class of the language or of Node.js. */
function isOfPlatform(prototype: object): boolean {
  for (
    let next: object | null = prototype;
    next !== null && !isRoot(next);
    next = Object.getPrototypeOf(next) as object | null
  ) {
    const constructor: unknown = Object.getOwnPropertyDescriptor(next, 'constructor')?.value;
    if (typeof constructor === 'function' && isPlatformClass(constructor)) return true;
    if (Object.getOwnPropertySymbols(next).some(({ description }) => CLONE_METHODS.includes(description))) return true;
  }
  return false;
}

/** Whether the class is one of the platform, in any realm. Such a class has no source text. */
function isPlatformClass(constructor: { readonly name: string }): boolean {
  const own: unknown = Reflect.get(globalThis, constructor.name);
  return (
    own === constructor ||
    (typeof own === 'function' && Function.prototype.toString.call(constructor).endsWith('{ [native code] }'))
  );
}

/** Writes an object as the engine does, and records what only Node.js can clone or transfer. */
class Probe extends Serializer {
  readonly asked = new Set<object>();

  _writeHostObject(value: object): void {
    this.asked.add(value);
  }

  _getSharedArrayBufferId(): number {
    return 0;
  }
}

/** Whether the engine itself writes the object. */
function isWritten(value: object): boolean {
  const probe = new Probe();
  try {
    probe.writeHeader();
    probe.writeValue(value);
  } catch {
    return false;
  }
  return !probe.asked.has(value);
}
