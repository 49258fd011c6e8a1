// Operations of the victim at a read-write lock.

import { SPINS } from '../../../core/test/support/crash-lines.ts';
import { guardOf, large, leaveInTheMiddle, meanwhile, orphan } from '../../../core/test/support/crash-offices.ts';
import { refused, together, type Operation } from '../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { RwLock } from '../../src/index.ts';
import { atRw } from './rw-crash-scene.ts';

function nothing(): void {
  // Either there is nothing to run, or the outcome of the wait does not matter here.
}

const taking: readonly Operation[] = [
  atRw('reads, twice', ({ theirs }) => () => {
    theirs.reader.lock();
    theirs.reader.run(() => theirs.reader.tryLock());
    theirs.reader.unlock();
    theirs.reader.unlock();
  }),
  atRw('reads beside others', ({ shadows, reader, theirs }) => {
    shadows.take(reader);
    return async () => {
      await theirs.reader.lockAsync();
      theirs.reader.unlock();
    };
  }),
  atRw('writes', ({ theirs }) => () => {
    theirs.writer.lock();
    theirs.writer.unlock();
  }),
  atRw('tries to read and to write while another agent writes', ({ shadows, writer, theirs }) => {
    shadows.take(writer);
    return () => [theirs.reader.tryLock(), theirs.writer.tryLock()];
  }),
  {
    name: 'creates a read-write lock',
    prepare: (stage) => () => RwLock.create({ arena: stage.victim.arena, name: 'new' }),
  },
  {
    name: 'frees a read-write lock',
    prepare(stage) {
      const { handle } = RwLock.create({ arena: stage.living.arena });
      const theirs = RwLock.from(stage.world.handle(handle, stage.victim));
      return () => theirs.free();
    },
  },
];

const leavingTheLock: readonly Operation[] = [
  atRw('reads as the last one while writers wait', ({ shadows, writer, reader, theirs }) => {
    theirs.reader.lock();
    shadows.come(writer, 2);
    shadows.come(reader);
    return () => theirs.reader.unlock();
  }),
  atRw('reads among others while a writer waits', ({ shadows, writer, reader, theirs }) => {
    shadows.take(reader);
    theirs.reader.lock();
    shadows.come(writer);
    return () => theirs.reader.unlock();
  }),
  large(
    atRw('writes while readers and writers wait', ({ shadows, writer, reader, theirs }) => {
      theirs.writer.lock();
      shadows.come(reader, 3);
      shadows.come(writer, 2);
      shadows.come(reader, 2);
      return () => theirs.writer.unlock();
    }),
  ),
  atRw(
    'writes while writers wait',
    ({ shadows, writer, theirs }) => {
      theirs.writer.lock();
      shadows.come(writer, 2);
      return () => theirs.writer.unlock();
    },
    SPINS,
  ),
  atRw('writes while some waiters have cancelled', ({ shadows, writer, reader, theirs }) => {
    theirs.writer.lock();
    shadows.come(reader, 3);
    shadows.come(writer, 2);
    for (const index of [0, 2, 3]) shadows.leave(index);
    return () => theirs.writer.unlock();
  }),
  atRw('downgrades', ({ theirs }) => () => {
    theirs.writer.lock();
    theirs.downgrade();
    theirs.reader.unlock();
  }),
  atRw(
    'downgrades while readers and writers wait',
    ({ shadows, writer, reader, theirs }) => {
      theirs.writer.lock();
      shadows.come(reader, 2);
      shadows.come(writer);
      return () => {
        theirs.downgrade();
        theirs.reader.unlock();
      };
    },
    { buckets: 1 },
  ),
];

const waiting: readonly Operation[] = [
  atRw('blocks to read', ({ stage, shadows, writer, reader, theirs }) => {
    shadows.take(writer);
    meanwhile(
      stage,
      () => shadows.come(reader),
      () => shadows.go(),
    );
    return () => theirs.reader.lock();
  }),
  atRw('blocks to read behind a waiting writer that cancels', ({ stage, shadows, reader, writer, theirs }) => {
    shadows.take(reader);
    shadows.come(writer);
    shadows.come(reader);
    meanwhile(
      stage,
      () => shadows.come(reader),
      () => shadows.leave(0),
    );
    return () => theirs.reader.lock();
  }),
  large(
    atRw(
      'blocks to write',
      ({ stage, shadows, writer, reader, theirs }) => {
        shadows.take(reader);
        meanwhile(
          stage,
          () => shadows.come(reader),
          () => shadows.come(writer),
          () => shadows.go(),
        );
        return () => {
          theirs.writer.lock();
          theirs.writer.unlock();
        };
      },
      SPINS,
    ),
  ),
  large(
    atRw('waits to write in an async call and downgrades', ({ stage, shadows, writer, reader, theirs }) => {
      shadows.take(writer);
      return async () => {
        const wait = together([theirs.writer.lockAsync({ ref: false })]);
        shadows.come(writer);
        shadows.go();
        await stage.settle();
        await wait;
        shadows.come(reader);
        theirs.downgrade();
        theirs.reader.unlock();
      };
    }),
  ),
  large(
    atRw('waits to read in an async call', ({ stage, shadows, writer, theirs }) => {
      shadows.take(writer);
      return async () => {
        const wait = together([theirs.reader.lockAsync({ ref: false })]);
        shadows.come(writer);
        shadows.go();
        await stage.settle();
        await wait;
        theirs.reader.unlock();
      };
    }),
  ),
];

const leaving: readonly Operation[] = [
  atRw('times out to write, with readers behind it', ({ stage, shadows, reader, theirs }) => {
    shadows.take(reader);
    meanwhile(stage, () => shadows.come(reader, 2));
    return () => theirs.writer.tryLock(5);
  }),
  large(
    atRw('times out to write before another writer', ({ stage, shadows, writer, reader, theirs }) => {
      shadows.take(reader);
      meanwhile(stage, () => {
        shadows.come(reader, 2);
        shadows.come(writer);
      });
      return () => theirs.writer.tryLock(5);
    }),
  ),
  atRw('times out to read between others', ({ stage, shadows, writer, reader, theirs }) => {
    shadows.take(writer);
    shadows.come(reader);
    meanwhile(stage, () => {
      shadows.come(reader);
      shadows.come(writer);
    });
    return () => theirs.reader.tryLock(5);
  }),
  ...(['reader', 'writer'] as const).map((side) =>
    atRw(`cancels as ${side} within the walk that admits it`, ({ stage, shadows, writer, reader, theirs }) => {
      shadows.take(writer);
      return async () => {
        const { signal, leave } = signalByHand();
        const wait = together([theirs[side].lockAsync({ signal, ref: false })]);
        shadows.come(writer);
        if (side === 'reader') shadows.come(reader);
        leaveInTheMiddle(stage, leave, () => shadows.go());
        await stage.settle();
        await wait;
        theirs[side].unlock();
      };
    }),
  ),
  ...(['reader', 'writer'] as const).map((side) =>
    atRw(
      `cancels as ${side} within the walk that admits it past a cancelled waiter`,
      ({ stage, shadows, writer, reader, theirs }) => {
        shadows.take(writer);
        shadows.come(side === 'reader' ? reader : writer, 2);
        return async () => {
          const { signal, leave } = signalByHand();
          const wait = together([theirs[side].lockAsync({ signal, ref: false }).catch(nothing)]);
          shadows.leave(1);
          if (side === 'reader') shadows.come(writer);
          else shadows.go();
          await stage.settle();
          leaveInTheMiddle(stage, leave, () => shadows.go());
          await stage.settle();
          await wait;
        };
      },
    ),
  ),
  ...(['reader', 'writer'] as const).map((side) =>
    atRw(`is admitted as ${side} at the moment of its timeout`, ({ stage, shadows, writer, theirs }) => {
      shadows.take(writer);
      meanwhile(stage, () => {
        shadows.go();
        return 'timed-out';
      });
      return () => theirs[side].tryLock(5);
    }),
  ),
  atRw('may not block to write behind its own async wait to read', ({ stage, shadows, writer, theirs }) => {
    shadows.take(writer);
    const wait = together([theirs.reader.lockAsync({ ref: false })]);
    return async () => {
      await refused('SLUICE_DEADLOCK', () => theirs.writer.lock());
      shadows.go();
      await stage.settle();
      await wait;
    };
  }),
  atRw('may not wait for itself', ({ theirs }) => async () => {
    theirs.reader.lock();
    await refused('SLUICE_MISUSE', () => theirs.writer.lock());
    theirs.reader.unlock();
    theirs.writer.lock();
    await refused('SLUICE_MISUSE', () => theirs.reader.lock());
  }),
];

const inheriting: readonly Operation[] = [
  large(
    atRw(
      'is told of a dead writer, repairs and downgrades',
      async ({ stage, open, shadows, writer, reader, theirs }) => {
        await orphan(stage, (agent) => open(agent).writer);
        return () => {
          const guard = guardOf(() => theirs.writer.lock());
          shadows.come(reader);
          shadows.come(writer);
          guard?.markConsistent();
          theirs.downgrade();
          theirs.reader.unlock();
        };
      },
    ),
  ),
  atRw('is told of a dead writer and repairs nothing', async ({ stage, open, shadows, writer, reader, theirs }) => {
    await orphan(stage, (agent) => open(agent).writer);
    return () => {
      const guard = guardOf(() => theirs.writer.lock());
      shadows.come(reader);
      shadows.come(writer);
      guard?.release();
    };
  }),
  atRw('is told of a dead writer and declines', async ({ stage, open, theirs }) => {
    await orphan(stage, (agent) => open(agent).writer);
    return () => guardOf(() => theirs.writer.run(nothing));
  }),
  atRw('is refused a read lock', async ({ stage, open, theirs }) => {
    await orphan(stage, (agent) => open(agent).writer);
    return () => guardOf(() => theirs.reader.lock());
  }),
];

export const rwOperations: readonly Operation[] = [...taking, ...leavingTheLock, ...waiting, ...leaving, ...inheriting];
