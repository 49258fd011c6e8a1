// The names of the steps of all packages. An agent has all steps in one table, so a step's name contains the name of
// its primitive, or of a part of it.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url));

/** By folder of a kernel: the names of its primitives and of their parts. */
const NOUNS = new Map<string, RegExp>([
  ['auto-reset-event/src/kernel', /Event|Signals/],
  ['barrier/src/kernel', /Latch|Barrier|countDown|Claims|Parties/],
  ['bounded-buffer/src/kernel', /Side|Int32/],
  ['broadcast/src/kernel', /Broadcast/],
  ['broadcast/src/watch/kernel', /Watch/],
  ['capacitor/src/kernel', /Capacitor|Lane|Turnstile|Turn/],
  ['classics/src/kernel', /Queued|Ticket|Tts/],
  [
    'classics/src/semaphores/kernel',
    /[bB]ox|Tokens|Drain|Share|Ticket|Blindly|Family|Member|Merge|Neighbours|Front|Lane/,
  ],
  ['classics/src/event-count/kernel', /EventCount|Sequencer/],
  ['event/src/kernel', /Manual|Once/],
  ['limit/src/kernel', /Limit|Ring|Window/],
  ['limit/src/rate/kernel', /Rate/],
  ['mutex/src/kernel', /Mutex/],
  ['mutex/src/condition/kernel', /Condition|Notifications|ToMutex/],
  ['rw-lock/src/kernel', /Reader|Writer/],
  ['semaphores/src/kernel', /^box|[lL]evel|Sized|Watcher/],
  ['seq-lock/src/kernel', /[sS]eqLock/],
]);

/** The names that a kernel exports, as its file `steps.ts` lists them. */
function stepsOf(file: string): string[] {
  const lists = [...readFileSync(file, 'utf8').matchAll(/export \{([^}]*)\} from/g)];
  return lists.flatMap(([, list = '']) =>
    list.split(',').flatMap((item) => /(\w+)$/.exec(item.trim())?.slice(1) ?? []),
  );
}

const kernels = readdirSync(PACKAGES)
  .filter((name) => existsSync(join(PACKAGES, name, 'src')))
  .flatMap((name) =>
    readdirSync(join(PACKAGES, name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.split(sep).slice(-2).join('/') === 'kernel/steps.ts')
      .map((path) => join(PACKAGES, name, 'src', path)),
  )
  .map((file) => ({
    folder: relative(PACKAGES, file).split(sep).slice(0, -1).join('/'),
    steps: stepsOf(file),
  }));

test.each(kernels.filter(({ folder }) => !folder.startsWith('core/')))(
  'each step in $folder has the name of its primitive in its own',
  ({ folder, steps }) => {
    const nouns = NOUNS.get(folder);
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.filter((step) => nouns?.test(step) !== true)).toEqual([]);
  },
);

test('no two kernels have a step of the same name', () => {
  const all = kernels.flatMap(({ steps }) => steps);
  expect(all.filter((step, index) => all.indexOf(step) !== index)).toEqual([]);
});
