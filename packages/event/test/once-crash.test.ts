// An agent dies at every point of every operation at a once or a lazy, and so does the agent that recovers it.

import '../../core/test/support/crash-injection.ts';
import { SPINS } from '../../core/test/support/crash-lines.ts';
import { leaveInTheMiddle, meanwhile, suddenly } from '../../core/test/support/crash-offices.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { together, type Operation } from '../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../core/test/support/signal-by-hand.ts';
import { Lazy, Once } from '../src/index.ts';
import { atOnce, onceScene } from './support/crash-onces.ts';
import './support/kinds.ts';

function nothing(): void {
  // The effect of the initialiser and the outcome of the wait do not matter here.
}
function failing(): never {
  throw new Error('no table');
}
const endless = (): Promise<void> => new Promise(nothing);

const operations: readonly Operation[] = [
  ...[0, 1, 3].map((waiters) =>
    atOnce(`runs an initialiser for ${waiters} waiters`, ({ shadows, theirs }) => {
      shadows.come(waiters);
      return () => theirs.run(nothing);
    }),
  ),
  atOnce('runs an initialiser that throws, then one that returns', ({ shadows, theirs }) => {
    shadows.come(2);
    return () => {
      try {
        theirs.run(failing);
      } catch (failure) {
        if (!(failure instanceof Error) || failure.message !== 'no table') throw failure;
      }
      shadows.come();
      theirs.run(nothing);
    };
  }),
  atOnce('runs an initialiser after some waiters have cancelled', ({ shadows, theirs }) => {
    shadows.come(4);
    for (const index of [0, 2]) shadows.leave(index);
    return () => theirs.run(nothing);
  }),
  atOnce('runs an async initialiser', ({ shadows, theirs }) => {
    shadows.come();
    return async () => {
      await theirs.runAsync(async () => {
        await Promise.resolve();
        shadows.come();
      });
    };
  }),
  atOnce('calls a completed once in every way', ({ shadows, theirs }) => {
    shadows.run();
    return async () => {
      theirs.run(failing);
      theirs.tryRun(failing, 5);
      await theirs.runAsync(failing);
      theirs.wait();
      theirs.tryWait(5);
      await theirs.waitAsync();
    };
  }),
  atOnce('blocks between other waiters', ({ stage, shadows, theirs }) => {
    shadows.come();
    meanwhile(
      stage,
      () => shadows.come(),
      () => shadows.run(),
    );
    return () => theirs.wait();
  }),
  atOnce(
    'spins before it blocks',
    ({ stage, shadows, theirs }) => {
      meanwhile(stage, () => shadows.run());
      return () => theirs.wait();
    },
    SPINS,
  ),
  atOnce('waits in async calls between other waiters', ({ stage, shadows, theirs }) => {
    shadows.come();
    return async () => {
      const wait = together([theirs.waitAsync({ ref: false }), theirs.waitAsync({ ref: false })]);
      shadows.come();
      shadows.run();
      await stage.settle();
      await wait;
    };
  }),
  atOnce('times out between other waiters', ({ stage, shadows, theirs }) => {
    shadows.come();
    meanwhile(stage, () => shadows.come(2));
    return () => theirs.tryWait(5);
  }),
  atOnce('times out while the initialiser returns', ({ stage, shadows, theirs }) => {
    meanwhile(stage, () => {
      shadows.run();
      return 'timed-out';
    });
    return () => theirs.tryWait(5);
  }),
  atOnce('cancels in the middle of the walk that admits it', ({ stage, shadows, theirs }) => async () => {
    const { signal, leave } = signalByHand();
    const wait = together([theirs.waitAsync({ signal, ref: false }).catch(nothing)]);
    shadows.come();
    leaveInTheMiddle(stage, leave, () => shadows.run());
    await stage.settle();
    await wait;
  }),
  atOnce('closes a once that has waiters', ({ shadows, theirs }) => {
    shadows.come(2);
    return () => theirs.close();
  }),
  {
    name: 'creates a once',
    prepare: (stage) => () => Once.create({ arena: stage.victim.arena, name: 'new' }),
  },
  {
    name: 'creates a lazy',
    prepare: (stage) => () => Lazy.create({ arena: stage.victim.arena, name: 'new', capacity: 200 }),
  },
  {
    name: 'frees a once',
    prepare(stage) {
      const { handle } = Once.create({ arena: stage.living.arena });
      const theirs = Once.from(stage.world.handle(handle, stage.victim));
      theirs.run(nothing);
      return () => theirs.free();
    },
  },
  {
    name: 'gets the value of a lazy',
    prepare(stage) {
      const { handle } = Lazy.create<string>({ arena: stage.living.arena });
      const theirs = Lazy.from<string>(stage.world.handle(handle, stage.victim));
      return () => theirs.get(() => 'value');
    },
  },
];

const holdings: readonly Operation[] = [
  suddenly('runs async initialisers of two onces', (stage) => {
    for (let count = 0; count < 2; count++) {
      const { shadows, theirs } = onceScene(stage);
      shadows.come();
      void together([theirs.runAsync(endless)]);
      shadows.come();
    }
  }),
  suddenly('waits at one once and runs an initialiser of another', (stage) => {
    const { shadows, theirs } = onceScene(stage);
    shadows.come();
    void together([theirs.waitAsync({ ref: false })]);
    shadows.come();
    const other = onceScene(stage);
    other.shadows.come(2);
    void together([other.theirs.runAsync(endless)]);
  }),
  suddenly('was admitted and had not learned of it', (stage) => {
    const { shadows, theirs } = onceScene(stage);
    shadows.come();
    void together([theirs.waitAsync({ ref: false }), theirs.waitAsync({ ref: false })]);
    shadows.run();
  }),
  suddenly('runs an initialiser of a once that was closed meanwhile', (stage) => {
    const { ours, theirs } = onceScene(stage);
    void together([theirs.runAsync(endless)]);
    ours.close();
  }),
];

crashSuite({ operations, holdings });
