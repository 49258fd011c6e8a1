// @ts-check
// Tasks that fail.

class OwnError extends Error {
  /** @param {string} message @param {ErrorOptions} [options] */
  constructor(message, options) {
    super(message, options);
    this.name = 'OwnError';
    this.code = 'OWN';
    this.details = { path: ['a', 1] };
    this.uncloneable = () => undefined;
  }
}

export function own() {
  throw new OwnError('my own', { cause: new RangeError('deeper', { cause: 'deepest' }) });
}

/** @param {string} name */
export function builtIn(name) {
  const errors = { TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError };
  throw new errors[/** @type {keyof typeof errors} */ (name)](`a ${name}`);
}

/** @param {unknown} thrown */
export function raw(thrown) {
  throw /** @type {Error} */ (thrown);
}

export const rawFunction = () => raw(() => undefined);

export function cyclic() {
  const error = new Error('a circle');
  Object.defineProperty(error, 'cause', { value: error });
  throw error;
}

export function strangeName() {
  throw Object.assign(new Error('strange'), { name: Symbol('strange') });
}

export function getter() {
  throw Object.defineProperty(new Error('with a getter'), 'bad', { enumerable: true, get: () => cyclic() });
}

export function many() {
  throw new AggregateError([new RangeError('one'), new TypeError('two')], 'many');
}

/** @param {number} levels */
export function layers(levels) {
  let error = new Error('leaf');
  for (let level = 1; level <= levels; level++) error = new AggregateError([error, error], `level ${level}`);
  throw error;
}

export function unreadable() {
  const error = new AggregateError([new Error('one')], 'all failed');
  Reflect.set(error, 'errors', null);
  throw error;
}

export function assignedCause() {
  const error = new Error('assigned');
  error.cause = new OwnError('behind it');
  throw error;
}

/** @param {number} length */
export function long(length) {
  throw new Error('x'.repeat(length));
}

export function abortError() {
  AbortSignal.abort().throwIfAborted();
}

/** @param {number} count */
export function endlessCauses(count) {
  let error = new Error('cause 0');
  for (let n = 1; n <= count; n++) error = new Error(`cause ${n}`, { cause: error });
  throw error;
}

export function untellable() {
  throw new Proxy(new Error('hidden'), {
    getPrototypeOf() {
      throw new Error('not this way');
    },
  });
}
