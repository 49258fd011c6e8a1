// Parts of the state of a namespace. A step that reads what was not loaded would decide wrongly, so that throws.

function notLoaded(what: string): Error {
  return new Error(`${what} of the namespace was read by a step, but was not loaded`);
}

/** The lines or the rounds with known names. */
export class PartialMap<T> extends Map<string, T> {
  readonly #known: ReadonlySet<string>;

  constructor(known: ReadonlySet<string>) {
    super();
    this.#known = known;
  }

  override get(name: string): T | undefined {
    if (!this.#known.has(name)) throw notLoaded(`The primitive ${JSON.stringify(name)}`);
    return super.get(name);
  }
}

/** Some of the sessions. One that was not loaded reads as absent: only steps that look at all of them may iterate. */
export class SomeSessions<T> extends Map<string, T> {
  override values(): MapIterator<T> {
    throw notLoaded('Every session');
  }

  override [Symbol.iterator](): MapIterator<[string, T]> {
    throw notLoaded('Every session');
  }
}

/** The uses of a session that were not loaded. What a step adds or removes is written by the primitive. */
export class UnknownUses extends Set<string> {
  override [Symbol.iterator](): SetIterator<string> {
    throw notLoaded('Every use');
  }
}
