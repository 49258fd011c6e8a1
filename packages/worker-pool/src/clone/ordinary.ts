// Classes whose objects clone as plain ones.

/** By prototype. */
const ordinary = new WeakMap<object, boolean>();

/**
 * Whether a clone of it is a plain object with its properties. Node.js and the engine have classes whose clone is more, and nothing tells
 * these from a class of the user's. So the first object of each class is cloned.
 */
export function isOrdinary(value: object, prototype: object): boolean {
  const known = ordinary.get(prototype);
  if (known !== undefined) return known;
  try {
    const is = Object.getPrototypeOf(structuredClone(value)) === Object.prototype;
    ordinary.set(prototype, is);
    return is;
  } catch {
    // The class, or only what is in this object.
    return false;
  }
}
