// An agent dies at every point of every operation at a watch cell, and so does the agent that recovers it.

import { hasCode } from '@sluice/core';
import '../../../core/test/support/crash-injection.ts';
import { SPINS } from '../../../core/test/support/crash-lines.ts';
import { leaveInTheMiddle, meanwhile, suddenly } from '../../../core/test/support/crash-offices.ts';
import { crashSuite } from '../../../core/test/support/crash-suite.ts';
import { together, type Operation } from '../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { WatchCell } from '../../src/index.ts';
import { atCell, cellScene, valueOf } from './support/crash-cells.ts';
import './support/kinds.ts';

function nothing(): void {
  // Ignores the outcome of the wait, which does not matter here.
}

const operations: readonly Operation[] = [
  ...[0, 1, 3].map((waiters) =>
    atCell(`sets a value for ${waiters} waiters`, ({ shadows, theirs }) => {
      shadows.come(waiters);
      return () => theirs.set(valueOf(1));
    }),
  ),
  atCell('sets several values', ({ shadows, theirs }) => {
    shadows.come(2);
    return () => {
      theirs.set(valueOf(1));
      theirs.set(valueOf(2));
      shadows.come();
      theirs.set(valueOf(3));
    };
  }),
  atCell('sets a value after some waiters have cancelled', ({ shadows, theirs }) => {
    shadows.come(4);
    for (const index of [0, 2]) shadows.leave(index);
    return () => theirs.set(valueOf(1));
  }),
  ...[0, 1, 3].map((waiters) =>
    atCell(`closes a cell with ${waiters} waiters`, ({ shadows, theirs }) => {
      shadows.come(waiters);
      return () => {
        theirs.close();
        theirs.close();
      };
    }),
  ),
  atCell('sets a value and closes', ({ shadows, theirs }) => {
    shadows.come(2);
    return () => {
      theirs.set(valueOf(1));
      shadows.come();
      theirs.close();
      try {
        theirs.set(valueOf(2));
      } catch (failure) {
        if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
      }
    };
  }),
  atCell('gets a value in every way', ({ ours, theirs }) => {
    ours.set(valueOf(1));
    return async () => {
      theirs.changed();
      ours.set(valueOf(2));
      theirs.tryChanged(5);
      ours.set(valueOf(3));
      await theirs.changedAsync();
      theirs.get();
    };
  }),
  atCell('blocks between other waiters', ({ stage, shadows, ours, theirs }) => {
    shadows.come();
    meanwhile(
      stage,
      () => shadows.come(),
      () => ours.set(valueOf(1)),
    );
    return () => theirs.changed();
  }),
  atCell(
    'spins before it blocks',
    ({ stage, ours, theirs }) => {
      meanwhile(stage, () => ours.set(valueOf(1)));
      return () => theirs.changed();
    },
    SPINS,
  ),
  atCell('waits in async calls between other waiters', ({ stage, shadows, ours, theirs }) => {
    shadows.come();
    return async () => {
      const wait = together([theirs.changedAsync({ ref: false }), theirs.changedAsync({ ref: false })]);
      shadows.come();
      ours.set(valueOf(1));
      ours.set(valueOf(2));
      await stage.settle();
      await wait;
    };
  }),
  atCell('times out between other waiters', ({ stage, shadows, theirs }) => {
    shadows.come();
    meanwhile(stage, () => shadows.come(2));
    return () => theirs.tryChanged(5);
  }),
  atCell('times out while a value is set', ({ stage, ours, theirs }) => {
    meanwhile(stage, () => {
      ours.set(valueOf(1));
      return 'timed-out';
    });
    return () => theirs.tryChanged(5);
  }),
  atCell('cancels in the middle of the walk that admits it', ({ stage, shadows, ours, theirs }) => async () => {
    const { signal, leave } = signalByHand();
    const wait = together([theirs.changedAsync({ signal, ref: false }).catch(nothing)]);
    shadows.come();
    leaveInTheMiddle(stage, leave, () => ours.set(valueOf(1)));
    await stage.settle();
    await wait;
  }),
  atCell(
    'cancels in the middle of the walk of another waiter that cancels',
    ({ stage, shadows, theirs }) =>
      async () => {
        const { signal, leave } = signalByHand();
        const wait = together([theirs.changedAsync({ signal, ref: false }).catch(nothing)]);
        shadows.come(2);
        leaveInTheMiddle(stage, leave, () => shadows.leave(0));
        await stage.settle();
        await wait;
      },
  ),
  {
    name: 'creates a cell',
    prepare: (stage) => () => WatchCell.create(1, { arena: stage.victim.arena, name: 'new', codec: 'int32' }),
  },
  {
    name: 'frees a cell',
    prepare(stage) {
      const { handle } = WatchCell.create(1, { arena: stage.living.arena, codec: 'int32' });
      const theirs = WatchCell.from(stage.world.handle(handle, stage.victim));
      return () => theirs.free();
    },
  },
];

const holdings: readonly Operation[] = [
  suddenly('waits for two cells between other waiters', (stage) => {
    for (let count = 0; count < 2; count++) {
      const { shadows, theirs } = cellScene(stage);
      shadows.come();
      void together([theirs.changedAsync({ ref: false })]);
      shadows.come();
    }
  }),
  suddenly('was admitted and had not learned of it', (stage) => {
    const { shadows, ours, theirs } = cellScene(stage);
    shadows.come();
    void together([theirs.changedAsync({ ref: false }), theirs.changedAsync({ ref: false })]);
    ours.set(valueOf(1));
  }),
];

crashSuite({ operations, holdings });
