// Copies a value, with some of the objects in it replaced. Objects that JavaScript cannot copy are the same in both
// values.

import { types } from 'node:util';
import { hasInside, isOrdinary, isRoot } from './ordinary.ts';

/**
 * A limit, because getters may create further objects without end. A clone, which recurses, would overflow the stack.
 */
const MAX_DEPTH = 20_000;

/** Copies one value. Objects of a class become plain ones, as in a clone. Throws what a getter throws. */
export function mirror(value: unknown, replaced: ReadonlyMap<object, object>): unknown {
  return new Mirror(replaced).of(value);
}

/** Copies several values. If the values share objects, their copies share the copies of these objects. */
export class Mirror {
  readonly #shells: Map<object, unknown>;
  readonly #replace: (original: object) => unknown;
  /** An explicit list of work: recursion would overflow the stack on deep values. */
  #left: { readonly fill: () => void; readonly depth: number }[] = [];
  /** The objects met by the current call. */
  #met: object[] = [];
  #depth = 0;
  readonly #shellOf = (original: unknown): unknown => {
    if (typeof original !== 'object' || original === null) return original;
    const known = this.#shells.get(original);
    if (known !== undefined) return known;
    this.#met.push(original);
    const replacement = this.#replace(original);
    if (replacement !== undefined) {
      this.#shells.set(original, replacement);
      return replacement;
    }
    const [shell, fill] = open(original, this.#shellOf);
    this.#shells.set(original, shell);
    if (fill !== undefined) this.#left.push({ fill, depth: this.#depth + 1 });
    return shell;
  };

  /**
   * `replaced`: the replacements of some objects. `replace` returns the replacement of any other object, or `undefined`
   * to copy that object.
   */
  constructor(replaced: ReadonlyMap<object, object>, replace: (original: object) => unknown = () => undefined) {
    this.#shells = new Map<object, unknown>(replaced);
    this.#replace = replace;
  }

  /**
   * Copies a value. Throws what a getter throws. After that, objects of this value are copied again when another value
   * has them, too.
   */
  of(value: unknown): unknown {
    this.#depth = 0;
    this.#met = [];
    try {
      const whole = this.#shellOf(value);
      for (let next = this.#left.pop(); next !== undefined; next = this.#left.pop()) {
        this.#depth = next.depth;
        if (next.depth > MAX_DEPTH) throw new RangeError('The value is nested too deeply.');
        next.fill();
      }
      return whole;
    } catch (failure) {
      this.#left = [];
      for (const original of this.#met) this.#shells.delete(original);
      throw failure;
    }
  }
}

type ShellOf = (original: unknown) => unknown;

function open(original: object, shellOf: ShellOf): [shell: object, fill?: () => void] {
  if (Array.isArray(original)) {
    const shell: unknown[] = [];
    shell.length = original.length;
    return [shell, () => fillArray(shell, original, shellOf)];
  }
  if (types.isMap(original)) {
    const shell = new Map<unknown, unknown>();
    return [
      shell,
      () => Map.prototype.forEach.call(original, (mapped, key) => void shell.set(shellOf(key), shellOf(mapped))),
    ];
  }
  if (types.isSet(original)) {
    const shell = new Set<unknown>();
    return [shell, () => Set.prototype.forEach.call(original, (member) => void shell.add(shellOf(member)))];
  }
  if (hasCause(original)) return openError(original, shellOf);
  if (!isPlain(original)) return [original];
  const shell = {};
  return [shell, () => fillProperties(shell, original, shellOf)];
}

/** Whether the value is an error whose cause may contain objects to replace. */
function hasCause(value: object): value is Error {
  if (!types.isNativeError(value) || Object.prototype.toString.call(value) === '[object DOMException]') return false;
  const cause: unknown = Object.getOwnPropertyDescriptor(value, 'cause')?.value;
  return typeof cause === 'object' && cause !== null;
}

/** Copies the parts of an error that a clone reads. The clone's class follows from the error's class or name. */
function openError(original: Error, shellOf: ShellOf): [shell: object, fill: () => void] {
  const shell = Object.setPrototypeOf(new Error(), Object.getPrototypeOf(original) as object) as Error;
  for (const key of ['message', 'name']) {
    const property = Object.getOwnPropertyDescriptor(original, key);
    if (property !== undefined) Object.defineProperty(shell, key, property);
  }
  Object.defineProperty(shell, 'stack', { value: original.stack, configurable: true, writable: true });
  const fill = (): void =>
    void Object.defineProperty(shell, 'cause', { value: shellOf(original.cause), configurable: true, writable: true });
  return [shell, fill];
}

/** Whether the properties of the value are its entire content. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (hasInside(value)) return false;
  return prototype === null || isRoot(prototype) || isOrdinary(value, prototype);
}

/**
 * Copies by index, because a list of property names is slow for many elements. With missing elements or further
 * properties it needs that list.
 */
function fillArray(shell: unknown[], original: readonly unknown[], shellOf: ShellOf): void {
  let present = 0;
  if (Object.values(original).length === original.length)
    while (present < original.length && present in original) present += 1;
  if (present < original.length || present === 0) fillProperties(shell, original, shellOf);
  else for (let n = 0; n < present; n++) shell[n] = shellOf(original[n]);
}

function fillProperties(shell: object, original: object, shellOf: ShellOf): void {
  for (const key of Object.keys(original)) {
    // A getter may have deleted the property.
    if (!Object.hasOwn(original, key)) continue;
    const value = shellOf((original as Record<string, unknown>)[key]);
    // Not an assignment: `__proto__` is an ordinary name here.
    Object.defineProperty(shell, key, { value, configurable: true, enumerable: true, writable: true });
  }
}
