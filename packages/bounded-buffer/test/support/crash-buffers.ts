// Operations of the victim at a bounded buffer, during which it dies.

import { BoundedBuffer } from '../../src/index.ts';
import { at, atTexts, bufferScene, hold, holdByAnother, numbers, type BufferScene } from './crash-buffer-scene.ts';
import { SPINS } from '../../../core/test/support/crash-lines.ts';
import { large, leaveInTheMiddle, meanwhile } from '../../../core/test/support/crash-offices.ts';
import { exhaust } from '../../../core/test/support/crash-rarities.ts';
import { refused, together, type Operation } from '../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';

function ignore(): void {
  // Ignores the outcome, which does not matter here.
}

function push({ shadows, theirs }: BufferScene): void {
  shadows.offer(1, ([value]) => theirs.push(value));
}

function pop({ shadows, theirs }: BufferScene): void {
  shadows.receive(1, () => theirs.pop());
}

function tryPush({ shadows, theirs }: BufferScene, timeout = 0): void {
  shadows.offer(1, ([value]) => theirs.tryPush(value, timeout));
}

function tryPop({ shadows, theirs }: BufferScene, timeout = 0): void {
  shadows.receive(1, () => theirs.tryPop(timeout));
}

function pushAsync({ shadows, theirs }: BufferScene, signal?: AbortSignal): Promise<unknown> {
  return together([shadows.offerAsync((value) => theirs.pushAsync(value, { ref: false, signal }))]);
}

function popAsync({ shadows, theirs }: BufferScene, signal?: AbortSignal): Promise<unknown> {
  return together([shadows.receiveAsync(1, () => theirs.popAsync({ ref: false, signal }))]);
}

const passing: readonly Operation[] = [
  at(2, 'pushes a value and pops it', (scene) => () => {
    push(scene);
    pop(scene);
  }),
  large(
    at(4, 'pushes and pops values in other ways', (scene) => async () => {
      const { shadows, theirs } = scene;
      shadows.offer(5, (values) => theirs.pushMany(values));
      tryPush(scene);
      shadows.receive(2, () => theirs.popMany(2));
      await shadows.offerAsync((value) => theirs.pushAsync(value));
      await shadows.receiveAsync(1, () => theirs.popAsync());
      shadows.receive(2, () => theirs.tryPopMany());
      tryPop(scene);
    }),
  ),
  at(2, 'pops a value that another agent pushed', (scene) => {
    scene.shadows.put(2);
    return () => pop(scene);
  }),
  ...[1, 3].map((others) =>
    at(4, `pushes a value for which ${others} agents wait`, (scene) => {
      scene.shadows.consume(others);
      return () => push(scene);
    }),
  ),
  ...[1, 3].map((others) =>
    at(2, `pops a value for whose room ${others} agents wait`, (scene) => {
      scene.shadows.put(2);
      scene.shadows.produce(others);
      return () => pop(scene);
    }),
  ),
  at(2, 'leaves the producers when room has come for other waiters', ({ stage, shadows }) => {
    shadows.put(2);
    shadows.produce(3);
    const letGo = hold(stage.victim, shadows, 'producers');
    shadows.take(2);
    return letGo;
  }),
  at(3, 'pushes many values while several agents wait', (scene) => {
    scene.shadows.consume(4);
    return () => scene.shadows.offer(3, (values) => scene.theirs.pushMany(values));
  }),
  at(3, 'pops many values while several agents wait', (scene) => {
    scene.shadows.put(3);
    scene.shadows.produce(4);
    return () => scene.shadows.receive(3, () => scene.theirs.popMany());
  }),
  at(2, 'pushes a value for which other agents waited and timed out', (scene) => {
    scene.shadows.consume(4);
    for (const index of [0, 1, 3]) scene.shadows.leave(index);
    return () => push(scene);
  }),
  at(2, 'pops a value granted to another agent that timed out', (scene) => {
    scene.shadows.consume(1);
    leaveInTheMiddle(
      scene.stage,
      () => scene.shadows.leave(0),
      () => scene.shadows.put(),
    );
    return () => pop(scene);
  }),
  at(
    1,
    'pushes and pops a value while all waiters are in one bucket',
    (scene) => {
      const other = bufferScene(scene.stage, numbers(1));
      for (const { shadows } of [scene, other]) shadows.put();
      for (const { shadows } of [scene, other, scene, other]) shadows.produce();
      return () => {
        pop(scene);
        pop(other);
      };
    },
    { world: { buckets: 1, pages: 2 } },
  ),
  atTexts('pops a text for whose room several agents wait', (scene) => {
    scene.shadows.put(3);
    scene.shadows.produce(3);
    return () => {
      pop(scene);
      pop(scene);
    };
  }),
  at(2, 'closes a buffer at which other agents wait', ({ shadows, theirs }) => {
    shadows.consume(3);
    return () => theirs.close();
  }),
  at(2, 'closes a buffer with values while other agents wait for room', ({ shadows, theirs }) => {
    shadows.put(2);
    shadows.produce(3);
    return () => theirs.close();
  }),
  at(2, 'pops the last value of a closed buffer', (scene) => {
    scene.shadows.put(2);
    scene.shadows.buffer.close();
    return async () => {
      pop(scene);
      pop(scene);
      await refused('SLUICE_CLOSED', () => scene.theirs.pop());
      await refused('SLUICE_CLOSED', () => push(scene));
    };
  }),
  {
    name: 'creates a buffer',
    prepare: (stage) => () =>
      BoundedBuffer.create({ codec: 'int32', capacity: 2, arena: stage.victim.arena, name: 'new' }),
  },
  at(
    2,
    'frees a buffer',
    ({ theirs }) =>
      () =>
        theirs.free(),
  ),
  at(2, 'frees a closed buffer', async ({ stage, shadows, theirs }) => {
    shadows.consume(2);
    shadows.buffer.close();
    // No agent may be inside a call on the buffer.
    await stage.settle();
    return () => theirs.free();
  }),
  at(2, 'gets a MisuseError for freeing a buffer at which other agents wait', ({ shadows, theirs }) => {
    shadows.consume(1);
    return () => refused('SLUICE_MISUSE', () => theirs.free());
  }),
];

const waiting: readonly Operation[] = [
  at(1, 'blocks for room', (scene) => {
    scene.shadows.put();
    meanwhile(scene.stage, () => scene.shadows.take());
    return () => push(scene);
  }),
  at(1, 'blocks for a value', (scene) => {
    meanwhile(scene.stage, () => scene.shadows.put());
    return () => pop(scene);
  }),
  at(
    1,
    'spins before it blocks for a value',
    (scene) => {
      meanwhile(scene.stage, () => scene.shadows.put());
      return () => pop(scene);
    },
    { world: SPINS },
  ),
  at(1, 'blocks for room in the middle of the queue', (scene) => {
    const { stage, shadows } = scene;
    shadows.put();
    shadows.produce();
    meanwhile(stage, () => {
      shadows.produce(2);
      shadows.take();
      // The first waiter pushes its value as soon as its agent's tasks run. The victim is next.
      return 'timed-out';
    });
    return async () => {
      tryPush(scene, 5);
      await stage.settle();
    };
  }),
  atTexts(
    'blocks for room that comes in parts',
    (scene) => {
      const { stage, shadows } = scene;
      shadows.put(3);
      meanwhile(
        stage,
        () => shadows.take(),
        () => shadows.take(),
        () => shadows.take(),
      );
      return () => {
        push(scene);
        push(scene);
      };
    },
    { cascades: true },
  ),
  at(1, 'waits for a value in an async call between other waiters', (scene) => {
    const { stage, shadows } = scene;
    shadows.consume();
    return async () => {
      const wait = popAsync(scene);
      shadows.consume();
      shadows.put();
      await stage.settle();
      shadows.put();
      await stage.settle();
      await wait;
    };
  }),
  at(
    1,
    'waits for room in async calls, and uses all of it',
    (scene) => {
      const { stage, shadows } = scene;
      shadows.put();
      return async () => {
        const waits = [pushAsync(scene), pushAsync(scene)];
        for (let turns = 0; turns < 2; turns++) {
          shadows.tryTake();
          await stage.settle();
        }
        await Promise.all(waits);
      };
    },
    { cascades: true },
  ),
  ...(['producers', 'consumers'] as const).map((side) =>
    at(2, `blocks while another agent has the lock of the ${side}`, (scene) => {
      scene.shadows.put();
      const letGo = holdByAnother(scene, side);
      meanwhile(scene.stage, letGo);
      return () => (side === 'producers' ? push(scene) : pop(scene));
    }),
  ),
  at(2, 'waits in an async call while another agent has the lock', (scene) => {
    const letGo = holdByAnother(scene, 'producers');
    return async () => {
      const wait = pushAsync(scene);
      letGo();
      await scene.stage.settle();
      await wait;
    };
  }),
  at(1, 'is granted room while another agent has the lock', (scene) => {
    const { stage, shadows } = scene;
    shadows.put();
    let letGo = ignore;
    meanwhile(
      stage,
      () => {
        shadows.take();
        letGo = holdByAnother(scene, 'producers');
      },
      () => letGo(),
    );
    return () => push(scene);
  }),
];

const leaving: readonly Operation[] = [
  at(1, 'times out as the last waiter', (scene) => {
    scene.shadows.put();
    return () => tryPush(scene, 5);
  }),
  at(1, 'times out in the middle of the queue', (scene) => {
    scene.shadows.consume();
    meanwhile(scene.stage, () => {
      scene.shadows.consume(2);
      return 'timed-out';
    });
    return () => tryPop(scene, 5);
  }),
  at(1, 'is granted a value at the moment of its timeout', (scene) => {
    meanwhile(scene.stage, () => {
      scene.shadows.put();
      return 'timed-out';
    });
    return () => tryPop(scene, 5);
  }),
  atTexts(
    'times out at the head of the queue with room collected',
    (scene) => {
      const { stage, shadows } = scene;
      shadows.put(3);
      meanwhile(stage, () => {
        shadows.produce(2);
        shadows.take();
        return 'timed-out';
      });
      return () => tryPush(scene, 5);
    },
    { cascades: true },
  ),
  ...[0, 2].map((behind) =>
    at(1, `aborts its wait for a value with ${behind} waiters behind it`, (scene) => {
      const { stage, shadows } = scene;
      return async () => {
        const { signal, leave } = signalByHand();
        const wait = popAsync(scene, signal).catch(ignore);
        shadows.consume(behind);
        leave();
        await stage.settle();
        await wait;
      };
    }),
  ),
  at(1, 'returns granted room because it does not get the lock', (scene) => {
    const { stage, shadows } = scene;
    shadows.put();
    let letGo = ignore;
    meanwhile(stage, () => {
      shadows.take();
      letGo = holdByAnother(scene, 'producers');
      shadows.produce(1);
    });
    return () => {
      tryPush(scene, 5);
      letGo();
    };
  }),
  at(2, 'times out while another agent has the lock', (scene) => {
    const letGo = holdByAnother(scene, 'consumers');
    scene.shadows.put(2);
    return () => {
      tryPop(scene);
      tryPop(scene, 5);
      letGo();
    };
  }),
  at(1, 'gets a DeadlockError for blocking behind its own async wait', (scene) => {
    const wait = popAsync(scene);
    return async () => {
      await refused('SLUICE_DEADLOCK', () => scene.theirs.pop());
      scene.shadows.put();
      await scene.stage.settle();
      await wait;
    };
  }),
  at(1, 'has no element for its ticket', async (scene) => {
    await exhaust(scene.stage);
    return () => refused('SLUICE_ARENA_FULL', () => scene.theirs.pop());
  }),
];

export const bufferOperations: readonly Operation[] = [...passing, ...waiting, ...leaving];
