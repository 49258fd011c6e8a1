// @ts-check
// A process with a limit: what it prints and its exit code say whether a call kept it alive. An unreferenced timer
// keeps nothing alive: it runs only if something else does. A process that must end by itself has no timer, which a
// busy machine might run before the end.
import { createLimit } from '@sluice/limit';

const limit = createLimit(1);

/** @type {() => void} */
let end = () => {};
/** A function that runs until `end`, and keeps nothing alive. */
void limit(() => new Promise((resolve) => (end = () => resolve(undefined))));

/** @param {() => void} action */
const soon = (action) => setTimeout(action, 30).unref();

/** @param {string} what */
const say = (what) => process.stdout.write(`${what}\n`);

/** @type {Record<string, () => unknown>} */
const cases = {
  'no call waits': () => {},

  async 'a call waits from the start'() {
    const call = limit(() => 'called');
    soon(end);
    say(await call);
  },

  async 'an unreferenced call waits'() {
    say(await limit.run(() => 'called', { ref: false }));
  },

  async 'a call times out'() {
    await limit
      .run(() => 'never', { timeout: 30 })
      .catch((/** @type {unknown} */ failure) => say(/** @type {Error} */ (failure).name));
  },
};

const what = process.argv[2] ?? '';
await Promise.resolve();
await cases[what]?.();
