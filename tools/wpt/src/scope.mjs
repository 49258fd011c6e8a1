// @ts-check
// Gives a thread the globals of a window or of a dedicated worker that the tests use. The thread does nothing else
// before or after.
import { runInThisContext } from 'node:vm';
import { ORIGIN, readSource } from './sources.mjs';
import { webWorkers } from './web-worker.mjs';

/** @import { Scope } from './files.mjs' */
/** @import { Locks } from './locks.mjs' */

/** @typedef {(this: unknown, event: Event) => void} Listener */

/**
 * @typedef {object} Realm
 * @property {(pathname: string) => void} load runs a script
 * @property {(text: string, filename: string) => void} evaluate
 * @property {(type: string, more: object) => void} dispatch an event, with more properties, at the global object
 * @property {(error: unknown) => void} fail dispatches an uncaught error
 * @property {() => void} nameScope defines the interface of the global object
 */

/**
 * @param {object} options
 * @param {Scope} options.scope
 * @param {string} options.root the checkout
 * @param {string} options.pathname of the page or the worker's script
 * @param {Locks} options.locks
 * @param {(data: unknown) => void} [options.post] to the parent of a worker
 * @returns {Realm}
 */
export function openRealm({ scope, root, pathname, locks, post }) {
  const location = new URL(pathname, ORIGIN);
  const events = new EventTarget();
  const { add, remove } = listenersOf(events);
  const pathOf = (/** @type {string} */ url) => new URL(url, location).pathname;
  const evaluate = (/** @type {string} */ text, /** @type {string} */ filename) =>
    void runInThisContext(text, { filename });
  const load = (/** @type {string} */ path) => evaluate(readSource(root, path), path);
  /** @type {Realm['dispatch']} */
  const dispatch = (type, more) => void events.dispatchEvent(Object.assign(new Event(type), more));
  /** @type {Realm['fail']} */
  const fail = (error) => dispatch('error', { error, message: String(error) });
  const navigator = navigatorWith(locks.manager);
  define({
    self: globalThis,
    location,
    isSecureContext: true,
    navigator,
    ...locks.interfaces,
    GLOBAL: { isWindow: () => scope === 'window', isWorker: () => scope === 'worker', isShadowRealm: () => false },
    addEventListener: add,
    removeEventListener: remove,
    Worker: webWorkers({ root, pathOf, locks, onError: fail }),
    importScripts: (/** @type {readonly string[]} */ ...urls) => urls.forEach((url) => load(pathOf(url))),
    fetch: async (/** @type {string} */ url) => new Response(await Promise.resolve(readSource(root, pathOf(url)))),
    ...(post === undefined ? {} : { postMessage: post }),
  });
  return { load, evaluate, dispatch, fail, nameScope: () => nameScope(scope, navigator) };
}

/** The attribute is one of the prototype, as an interface has it. @param {unknown} manager */
function navigatorWith(manager) {
  class Navigator {
    #locks = manager;

    get locks() {
      return this.#locks;
    }
  }
  Object.defineProperty(Navigator.prototype, 'locks', { enumerable: true });
  return new Navigator();
}

/** Listeners are called with the global object, as those of a window. @param {EventTarget} events */
function listenersOf(events) {
  /** @type {WeakMap<Listener, Listener>} */
  const bound = new WeakMap();
  const bind = (/** @type {Listener} */ listener) => {
    const known = bound.get(listener) ?? ((event) => Reflect.apply(listener, globalThis, [event]));
    bound.set(listener, known);
    return known;
  };
  return {
    add: (
      /** @type {string} */ type,
      /** @type {Listener} */ listener,
      /** @type {AddEventListenerOptions | boolean} */ options,
    ) => events.addEventListener(type, bind(listener), options),
    remove: (/** @type {string} */ type, /** @type {Listener} */ listener) =>
      events.removeEventListener(type, bind(listener)),
  };
}

/**
 * The harness would take a global object with these for one of a browser, and report to a page; the tests of interfaces
 * need them.
 * @param {Scope} scope
 * @param {object} navigator
 */
function nameScope(scope, navigator) {
  const isThis = (/** @type {unknown} */ value) => value === globalThis;
  const GlobalScope = Object.defineProperty(() => undefined, Symbol.hasInstance, { value: isThis });
  const { constructor } = navigator;
  if (scope === 'window') define({ Window: GlobalScope, Navigator: constructor });
  else
    define({ WorkerGlobalScope: GlobalScope, DedicatedWorkerGlobalScope: GlobalScope, WorkerNavigator: constructor });
}

/** @param {Readonly<Record<string, unknown>>} globals */
function define(globals) {
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }
}
