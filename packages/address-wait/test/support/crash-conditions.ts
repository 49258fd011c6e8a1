// Operations on conditions during which the victim dies.

import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { together, type Operation, type Stage } from '../../../core/test/support/crash-stage.ts';
import {
  addressSignal,
  addressSignalPolite,
  addressWaitUntil,
  addressWaitUntilAsync,
  keyMonitor,
  keySignal,
  keySignalPolite,
  keyWait,
  keyWaitAsync,
  keyWaitLazy,
  locationWait,
  locationWakeAll,
  locationWakeAllPolite,
  SharedWord,
  waitOnAddress,
  waitOnAddressAsync,
  wakeByAddressAll,
  wakeByAddressSingle,
} from '../../src/index.ts';
import { Watchers } from './watchers.ts';

interface Scene {
  readonly stage: Stage;
  readonly watchers: Watchers;
  /** The victim's own instance of the word. */
  readonly theirs: SharedWord;
}

const WORLD = { pages: 2, policy: { spinMicros: 0 } };

function at(name: string, prepare: (scene: Scene) => () => unknown, world: Operation['world'] = {}): Operation {
  return {
    name,
    world: { ...WORLD, ...world },
    prepare(stage) {
      const watchers = new Watchers(stage);
      stage.witnesses.push(watchers);
      const { handle } = watchers.word;
      const theirs = SharedWord.from({ ...handle, region: stage.world.handle(handle.region, stage.victim) });
      return prepare({ stage, watchers, theirs });
    },
  };
}

type Signal = readonly [name: string, signal: (word: SharedWord) => void];

const SIGNALS: readonly Signal[] = [
  ['addressSignal', addressSignal],
  ['addressSignalPolite', addressSignalPolite],
  ['keySignal', keySignal],
  ['keySignalPolite', keySignalPolite],
  ['wakeByAddressSingle', wakeByAddressSingle],
  ['wakeByAddressAll', wakeByAddressAll],
];

/** Changes the word, then signals. */
function tell(word: SharedWord, signal: (word: SharedWord) => void): void {
  word.store(1);
  signal(word);
}

const signalling: readonly Operation[] = [
  ...SIGNALS.flatMap(([name, signal]) =>
    [0, 1, 3].map((waits) =>
      at(`makes the condition true for ${waits} waiters and calls ${name}`, ({ watchers, theirs }) => {
        watchers.come(waits);
        return () => tell(theirs, signal);
      }),
    ),
  ),
  ...SIGNALS.map(([name, signal]) =>
    at(
      `calls ${name} after some waiters have cancelled`,
      ({ watchers, theirs }) => {
        watchers.come(4);
        for (const index of [0, 2]) watchers.leave(index);
        return () => tell(theirs, signal);
      },
      { buckets: 1 },
    ),
  ),
  at(
    'calls addressSignal while other agents wait for another key of the bucket',
    ({ watchers, theirs }) => {
      watchers.come(2);
      watchers.comeElsewhere(2);
      return () => tell(theirs, addressSignal);
    },
    { buckets: 1 },
  ),
  at('makes the condition true and wakes the waiters at the location', ({ watchers, theirs }) => {
    watchers.pushOntoChain();
    return () => tell(theirs, locationWakeAll);
  }),
  at('makes the condition true and wakes the waiters at the location politely', ({ watchers, theirs }) => {
    watchers.pushOntoChain();
    return () => tell(theirs, locationWakeAllPolite);
  }),
  at(
    'makes the condition true and signals in every way',
    ({ watchers, theirs }) => {
      watchers.pushOntoChain();
      watchers.come(2);
      return () => {
        tell(theirs, locationWakeAll);
        for (const [, signal] of SIGNALS) signal(theirs);
      };
    },
    { buckets: 1 },
  ),
];

type Wait = readonly [name: string, wait: (word: SharedWord, timeoutMs?: number) => unknown];

const WAITS: readonly Wait[] = [
  ['addressWaitUntil', (word, timeoutMs) => addressWaitUntil(word, () => word.load() === 1, timeoutMs)],
  ['keyWait', (word, timeoutMs) => keyWait(word, keyMonitor(word), timeoutMs)],
  ['keyWaitLazy', (word, timeoutMs) => keyWaitLazy(word, keyWaitLazy(word, -1), timeoutMs)],
  ['locationWait', (word, timeoutMs) => [locationWait(word, timeoutMs), locationWait(word, timeoutMs)]],
  ['waitOnAddress', (word, timeoutMs) => waitOnAddress(word, 0, timeoutMs)],
];

const waiting: readonly Operation[] = [
  ...WAITS.flatMap(([name, wait]) => [
    at(`blocks by ${name} until the condition holds`, ({ stage, watchers, theirs }) => {
      stage.life.meanwhile.push(() => watchers.change());
      return () => wait(theirs);
    }),
    at(
      `blocks by ${name} between other waiters until the condition holds`,
      ({ stage, watchers, theirs }) => {
        watchers.come(2);
        stage.life.meanwhile.push(() => {
          watchers.come(1);
          watchers.change();
        });
        return () => wait(theirs);
      },
      { buckets: 1 },
    ),
    at(`times out in ${name}`, ({ theirs }) => () => [wait(theirs, 5), wait(theirs, 5)]),
    at(
      `times out in ${name} between other waiters, of which some cancel`,
      ({ stage, watchers, theirs }) => {
        watchers.come(2);
        stage.life.meanwhile.push(() => (watchers.come(2), watchers.leave(1), watchers.leave(2), 'timed-out'));
        return () => wait(theirs, 5);
      },
      { buckets: 1 },
    ),
    at(`is woken at the moment in which ${name} times out`, ({ stage, watchers, theirs }) => {
      watchers.come(1);
      stage.life.meanwhile.push(() => (watchers.change(), 'timed-out'));
      return () => wait(theirs, 5);
    }),
    at(
      `spins before it blocks by ${name}`,
      ({ stage, watchers, theirs }) => {
        stage.life.meanwhile.push(() => watchers.change());
        return () => wait(theirs);
      },
      { policy: { spinMicros: 5 } },
    ),
  ]),
  at(
    'leaves its element at a location',
    ({ theirs }) =>
      () =>
        locationWait(theirs),
  ),
  at('waits for a word inside a condition that waits for the same word', ({ stage, watchers, theirs }) => {
    watchers.come(1);
    stage.life.meanwhile.push(
      () => 'timed-out',
      () => watchers.change(),
    );
    return () => addressWaitUntil(theirs, () => addressWaitUntil(theirs, () => theirs.load() === 1, 5));
  }),
  at('has a condition that throws at its second evaluation', ({ watchers, theirs }) => {
    watchers.come(2);
    let looks = 0;
    return () => {
      try {
        addressWaitUntil(theirs, () => {
          if (++looks === 2) throw new RangeError('no more');
          return false;
        });
      } catch (failure) {
        if (!(failure instanceof RangeError)) throw failure;
      }
    };
  }),
];

type AsyncWait = readonly [name: string, wait: (word: SharedWord, signal?: AbortSignal) => Promise<unknown>];

const ASYNC: readonly AsyncWait[] = [
  [
    'addressWaitUntilAsync',
    (word, signal) => addressWaitUntilAsync(word, () => word.load() === 1, { ref: false, ...(signal && { signal }) }),
  ],
  ['keyWaitAsync', (word, signal) => keyWaitAsync(word, keyMonitor(word), { ref: false, ...(signal && { signal }) })],
  ['waitOnAddressAsync', (word, signal) => waitOnAddressAsync(word, 0, { ref: false, ...(signal && { signal }) })],
];

function nothing(): void {
  // Whether the wait was woken or aborted does not matter here.
}

const asking: readonly Operation[] = ASYNC.flatMap(([name, wait]) => [
  at(
    `waits by ${name} between other waiters until the condition holds`,
    ({ stage, watchers, theirs }) => {
      watchers.come(1);
      return async () => {
        const done = together([wait(theirs)]);
        watchers.come(1);
        watchers.change();
        await stage.settle();
        await Promise.race([done, stage.settle()]);
      };
    },
    { buckets: 1 },
  ),
  at(
    `aborts ${name} between other waiters`,
    ({ stage, watchers, theirs }) => {
      watchers.come(2);
      return async () => {
        const { signal, leave } = signalByHand();
        const done = together([wait(theirs, signal).catch(nothing)]);
        watchers.come(2);
        leave();
        await stage.settle();
        await Promise.race([done, stage.settle()]);
      };
    },
    { buckets: 1 },
  ),
]);

function suddenly(name: string, prepare: (scene: Scene) => void): Operation {
  return at(
    name,
    (scene) => {
      prepare(scene);
      return nothing;
    },
    { buckets: 1 },
  );
}

/** States in which the victim dies without a further step. */
export const conditionHoldings: readonly Operation[] = [
  ...ASYNC.map(([name, wait]) =>
    suddenly(`waits by ${name} between other waiters`, ({ watchers, theirs }) => {
      watchers.come(2);
      void together([wait(theirs)]);
      watchers.come(2);
      watchers.leave(0);
    }),
  ),
  suddenly('was woken by a signal and had not checked its condition, among other waiters', ({ watchers, theirs }) => {
    watchers.come(2);
    void together(ASYNC.map(([, wait]) => wait(theirs)));
    watchers.come(1);
    watchers.change();
  }),
  suddenly('had made the condition true and not signalled', ({ watchers, theirs }) => {
    watchers.come(3);
    watchers.pushOntoChain();
    theirs.store(1);
  }),
  suddenly('had pushed its element at a location where another agent waits', ({ watchers, theirs }) => {
    watchers.pushOntoChain();
    locationWait(theirs);
  }),
];

export const conditionOperations: readonly Operation[] = [...signalling, ...waiting, ...asking];
