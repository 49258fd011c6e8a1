// What the victim does at a read-write lock when it dies.

import { RwLock } from '../../../rw-lock/src/index.ts';
import { SPINS } from './mortal-lines.ts';
import { atRw, guardOf, large, leaveInTheMiddle, meanwhile, orphan } from './mortal-offices.ts';
import { refused, together, type Operation } from './mortal-stage.ts';
import { signalByHand } from './signal-by-hand.ts';

function nothing(): void {
  // Nothing is run, or whether it came in or left is not the matter here.
}

const taking: readonly Operation[] = [
  atRw('reads, twice', ({ theirs }) => () => {
    theirs.reader.lock();
    theirs.reader.run(() => theirs.reader.tryLock());
    theirs.reader.unlock();
    theirs.reader.unlock();
  }),
  atRw('reads beside others', ({ guests, reader, theirs }) => {
    guests.take(reader);
    return async () => {
      await theirs.reader.lockAsync();
      theirs.reader.unlock();
    };
  }),
  atRw('writes', ({ theirs }) => () => {
    theirs.writer.lock();
    theirs.writer.unlock();
  }),
  atRw('tries to read and to write what another one writes', ({ guests, writer, theirs }) => {
    guests.take(writer);
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
  atRw('reads as the last one while writers wait', ({ guests, writer, reader, theirs }) => {
    theirs.reader.lock();
    guests.come(writer, 2);
    guests.come(reader);
    return () => theirs.reader.unlock();
  }),
  atRw('reads among others while a writer waits', ({ guests, writer, reader, theirs }) => {
    guests.take(reader);
    theirs.reader.lock();
    guests.come(writer);
    return () => theirs.reader.unlock();
  }),
  large(
    atRw('writes while readers and writers wait', ({ guests, writer, reader, theirs }) => {
      theirs.writer.lock();
      guests.come(reader, 3);
      guests.come(writer, 2);
      guests.come(reader, 2);
      return () => theirs.writer.unlock();
    }),
  ),
  atRw('writes while writers wait', ({ guests, writer, theirs }) => {
    theirs.writer.lock();
    guests.come(writer, 2);
    return () => theirs.writer.unlock();
  }, SPINS),
  atRw('writes while some do not wait any more', ({ guests, writer, reader, theirs }) => {
    theirs.writer.lock();
    guests.come(reader, 3);
    guests.come(writer, 2);
    for (const index of [0, 2, 3]) guests.leave(index);
    return () => theirs.writer.unlock();
  }),
  atRw('downgrades', ({ theirs }) => () => {
    theirs.writer.lock();
    theirs.downgrade();
    theirs.reader.unlock();
  }),
  atRw('downgrades while readers and writers wait', ({ guests, writer, reader, theirs }) => {
    theirs.writer.lock();
    guests.come(reader, 2);
    guests.come(writer);
    return () => {
      theirs.downgrade();
      theirs.reader.unlock();
    };
  }, { buckets: 1 }),
];

const waiting: readonly Operation[] = [
  atRw('blocks to read', ({ stage, guests, writer, reader, theirs }) => {
    guests.take(writer);
    meanwhile(stage, () => guests.come(reader), () => guests.go());
    return () => theirs.reader.lock();
  }),
  atRw('blocks to read behind a writer that waits and gives up', ({ stage, guests, reader, writer, theirs }) => {
    guests.take(reader);
    guests.come(writer);
    guests.come(reader);
    meanwhile(stage, () => guests.come(reader), () => guests.leave(0));
    return () => theirs.reader.lock();
  }),
  large(
    atRw('blocks to write', ({ stage, guests, writer, reader, theirs }) => {
      guests.take(reader);
      meanwhile(stage, () => guests.come(reader), () => guests.come(writer), () => guests.go());
      return () => {
        theirs.writer.lock();
        theirs.writer.unlock();
      };
    }, SPINS),
  ),
  large(
    atRw('waits to write in an async call and downgrades', ({ stage, guests, writer, reader, theirs }) => {
      guests.take(writer);
      return async () => {
        const wait = together([theirs.writer.lockAsync({ ref: false })]);
        guests.come(writer);
        guests.go();
        await stage.settle();
        await wait;
        guests.come(reader);
        theirs.downgrade();
        theirs.reader.unlock();
      };
    }),
  ),
  large(
    atRw('waits to read in an async call', ({ stage, guests, writer, theirs }) => {
      guests.take(writer);
      return async () => {
        const wait = together([theirs.reader.lockAsync({ ref: false })]);
        guests.come(writer);
        guests.go();
        await stage.settle();
        await wait;
        theirs.reader.unlock();
      };
    }),
  ),
];

const leaving: readonly Operation[] = [
  atRw('gives up to write, and readers waited for it alone', ({ stage, guests, reader, theirs }) => {
    guests.take(reader);
    meanwhile(stage, () => guests.come(reader, 2));
    return () => theirs.writer.tryLock(5);
  }),
  large(
    atRw('gives up to write before another writer', ({ stage, guests, writer, reader, theirs }) => {
      guests.take(reader);
      meanwhile(stage, () => {
        guests.come(reader, 2);
        guests.come(writer);
      });
      return () => theirs.writer.tryLock(5);
    }),
  ),
  atRw('gives up to read in the middle of a line', ({ stage, guests, writer, reader, theirs }) => {
    guests.take(writer);
    guests.come(reader);
    meanwhile(stage, () => {
      guests.come(reader);
      guests.come(writer);
    });
    return () => theirs.reader.tryLock(5);
  }),
  ...(['reader', 'writer'] as const).map((side) =>
    atRw(`gives up as ${side} what is on its way`, ({ stage, guests, writer, reader, theirs }) => {
      guests.take(writer);
      return async () => {
        const { signal, leave } = signalByHand();
        const wait = together([theirs[side].lockAsync({ signal, ref: false })]);
        guests.come(writer);
        if (side === 'reader') guests.come(reader);
        leaveInTheMiddle(stage, leave, () => guests.go());
        await stage.settle();
        await wait;
        theirs[side].unlock();
      };
    }),
  ),
  ...(['reader', 'writer'] as const).map((side) =>
    atRw(`gives up as ${side} what is on its way past one that gave up`, ({ stage, guests, writer, reader, theirs }) => {
      guests.take(writer);
      guests.come(side === 'reader' ? reader : writer, 2);
      return async () => {
        const { signal, leave } = signalByHand();
        const wait = together([theirs[side].lockAsync({ signal, ref: false }).catch(nothing)]);
        guests.leave(1);
        if (side === 'reader') guests.come(writer);
        else guests.go();
        await stage.settle();
        leaveInTheMiddle(stage, leave, () => guests.go());
        await stage.settle();
        await wait;
      };
    }),
  ),
  ...(['reader', 'writer'] as const).map((side) =>
    atRw(`is let in as ${side} at the moment of its timeout`, ({ stage, guests, writer, theirs }) => {
      guests.take(writer);
      meanwhile(stage, () => {
        guests.go();
        return 'timed-out';
      });
      return () => theirs[side].tryLock(5);
    }),
  ),
  atRw('may not block to write behind its own async wait to read', ({ stage, guests, writer, theirs }) => {
    guests.take(writer);
    const wait = together([theirs.reader.lockAsync({ ref: false })]);
    return async () => {
      await refused('SLUICE_DEADLOCK', () => theirs.writer.lock());
      guests.go();
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
    atRw('inherits a write lock, repairs and downgrades', async ({ stage, open, guests, writer, reader, theirs }) => {
      await orphan(stage, (agent) => open(agent).writer);
      return () => {
        const guard = guardOf(() => theirs.writer.lock());
        guests.come(reader);
        guests.come(writer);
        guard?.markConsistent();
        theirs.downgrade();
        theirs.reader.unlock();
      };
    }),
  ),
  atRw('inherits a write lock and repairs nothing', async ({ stage, open, guests, writer, reader, theirs }) => {
    await orphan(stage, (agent) => open(agent).writer);
    return () => {
      const guard = guardOf(() => theirs.writer.lock());
      guests.come(reader);
      guests.come(writer);
      guard?.release();
    };
  }),
  atRw('inherits a write lock and declines it', async ({ stage, open, theirs }) => {
    await orphan(stage, (agent) => open(agent).writer);
    return () => guardOf(() => theirs.writer.run(nothing));
  }),
  atRw('has a read lock refused to itself', async ({ stage, open, theirs }) => {
    await orphan(stage, (agent) => open(agent).writer);
    return () => guardOf(() => theirs.reader.lock());
  }),
];

export const rwOperations: readonly Operation[] = [...taking, ...leavingTheLock, ...waiting, ...leaving, ...inheriting];
