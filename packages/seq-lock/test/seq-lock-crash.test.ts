// An agent dies at every point of every operation at a seq-lock, and so does the agent that recovers it.

import '../../core/test/support/crash-injection.ts';
import { meanwhile, suddenly } from '../../core/test/support/crash-offices.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { together, type Operation } from '../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../core/test/support/signal-by-hand.ts';
import { SeqLock } from '../src/index.ts';
import { fill } from './support/checksum.ts';
import { atSeqLock, BYTES, next, seqScene } from './support/crash-seq-locks.ts';
import './support/kinds.ts';

function nothing(): void {
  // The outcome of the wait does not matter here.
}

const operations: readonly Operation[] = [
  atSeqLock('writes three times', ({ theirs }) => () => {
    for (let number = 1; number < 4; number++) theirs.write((value) => fill(value, number));
  }),
  atSeqLock('updates with others in line', ({ updates, theirs }) => () => {
    theirs.update((value) => {
      updates.come(2);
      next(value);
    });
  }),
  atSeqLock('fails in its function with another in line', ({ updates, theirs }) => () => {
    try {
      theirs.update(() => {
        updates.come();
        throw new RangeError('mine');
      });
    } catch (failure) {
      if (!(failure instanceof RangeError)) throw failure;
    }
  }),
  atSeqLock('reads with every call', ({ updates, theirs }) => async () => {
    updates.make();
    const value = theirs.read();
    theirs.tryRead(value);
    theirs.read(() => 1);
    const snapshot = theirs.snapshot();
    updates.make();
    snapshot.refresh();
    await theirs.readAsync();
  }),
  atSeqLock('blocks behind a writer', ({ stage, updates, ours, theirs }) => () => {
    ours.update((value) => {
      next(value);
      meanwhile(stage, () => 'timed-out');
      theirs.tryWrite(value, 5);
      updates.come();
    });
  }),
  atSeqLock('updates in async calls between others', ({ stage, updates, ours, theirs }) => async () => {
    let calls: Promise<unknown> | undefined;
    ours.update((value) => {
      next(value);
      updates.come();
      calls = together([theirs.updateAsync(next, { ref: false }), theirs.updateAsync(next, { ref: false })]);
      updates.come();
    });
    await stage.settle();
    await calls;
  }),
  atSeqLock('cancels an async write between others', ({ stage, updates, ours, theirs }) => async () => {
    const { signal, leave } = signalByHand();
    let call: Promise<unknown> | undefined;
    ours.update((value) => {
      next(value);
      updates.come();
      call = together([theirs.updateAsync(next, { signal, ref: false }).catch(nothing)]);
      updates.come();
      leave();
    });
    await stage.settle();
    await call;
  }),
  atSeqLock('writes after a writer that died', ({ stage, updates, theirs, open }) => {
    const dead = stage.world.join();
    const lock = open(dead);
    try {
      lock.update(() => {
        dead.life.die();
        throw new Error('dead');
      });
    } catch {
      // Acts of the victim after its death have no effect.
    }
    stage.living.arena.reclaim(dead.context.id);
    return () => {
      theirs.update(next);
      updates.come();
      theirs.update(next);
    };
  }),
  {
    name: 'creates a seq-lock',
    prepare: (stage) => () => SeqLock.create({ arena: stage.victim.arena, name: 'new', byteLength: BYTES }),
  },
  {
    name: 'closes and frees a seq-lock',
    prepare(stage) {
      const { handle } = SeqLock.create({ arena: stage.living.arena, byteLength: BYTES });
      const theirs = SeqLock.from(stage.world.handle(handle, stage.victim));
      return () => {
        theirs.close();
        theirs.free();
      };
    },
  },
];

const holdings: readonly Operation[] = [
  suddenly('waits for a seq-lock between others', (stage) => {
    const { updates, ours, theirs } = seqScene(stage);
    ours.update((value) => {
      next(value);
      updates.come();
      void together([theirs.updateAsync(next, { ref: false })]);
      updates.come();
    });
  }),
];

crashSuite({ operations, holdings });
