// States of a victim at a bounded buffer in which it dies without a further step.

import {
  bufferScene,
  hold,
  holdByAnother,
  numbers,
  TEXTS,
  type BufferScene,
  type SideName,
} from './crash-buffer-scene.ts';
import { together, type Operation, type Stage } from '../../../core/test/support/crash-stage.ts';

function nothing(): void {
  // It does nothing more.
}

function suddenly(name: string, prepare: (stage: Stage) => unknown, more: Partial<Operation> = {}): Operation {
  return {
    ...more,
    name,
    async prepare(stage) {
      await prepare(stage);
      return nothing;
    },
  };
}

/** Takes the lock of that side, as a victim that is writing or reading. */
function isInside({ stage, shadows }: BufferScene, side: SideName): void {
  hold(stage.victim, shadows, side);
}

function offers({ shadows, theirs }: BufferScene): void {
  void together([shadows.offerAsync((value) => theirs.pushAsync(value, { ref: false }))]);
}

function wants({ shadows, theirs }: BufferScene): void {
  void together([shadows.receiveAsync(1, () => theirs.popAsync({ ref: false }))]);
}

export const bufferHoldings: readonly Operation[] = [
  suddenly('is writing while other agents want to write and to read', (stage) => {
    const scene = bufferScene(stage, numbers(2));
    scene.shadows.consume(2);
    isInside(scene, 'producers');
    scene.shadows.produce(2);
  }),
  suddenly('is reading while other agents want to read and to write', (stage) => {
    const scene = bufferScene(stage, numbers(2));
    scene.shadows.put(2);
    scene.shadows.produce(1);
    isInside(scene, 'consumers');
    scene.shadows.consume(2);
  }),
  suddenly('is reading when values come for other waiters', (stage) => {
    const scene = bufferScene(stage, numbers(2));
    scene.shadows.consume(3);
    isInside(scene, 'consumers');
    // Nothing can be granted before the victim has left.
    scene.shadows.put(2);
  }),
  suddenly('is writing at one buffer and reading at another', (stage) => {
    const [one, other] = [bufferScene(stage, numbers(2)), bufferScene(stage, TEXTS)];
    other.shadows.put(2);
    isInside(one, 'producers');
    isInside(other, 'consumers');
  }),
  suddenly(
    'waits for room between other waiters, and for a value at another buffer',
    (stage) => {
      const [full, empty] = [bufferScene(stage, numbers(1)), bufferScene(stage, numbers(1))];
      full.shadows.put();
      for (const act of [() => full.shadows.produce(), () => offers(full), () => full.shadows.produce()]) act();
      for (const act of [() => empty.shadows.consume(), () => wants(empty), () => empty.shadows.consume()]) act();
    },
    { world: { pages: 2 } },
  ),
  suddenly('was granted room and had not run, and other agents wait', (stage) => {
    const scene = bufferScene(stage, numbers(1));
    scene.shadows.put();
    offers(scene);
    scene.shadows.produce(2);
    scene.shadows.take();
  }),
  suddenly('was granted values and had not run, without other waiters', (stage) => {
    const scene = bufferScene(stage, numbers(2));
    wants(scene);
    wants(scene);
    scene.shadows.put(2);
  }),
  suddenly('was granted room for a text and had not run', (stage) => {
    const scene = bufferScene(stage, TEXTS);
    scene.shadows.put(3);
    offers(scene);
    scene.shadows.produce(1);
    scene.shadows.take(3);
  }),
  suddenly('was granted a value and waits for the lock', async (stage) => {
    const scene = bufferScene(stage, numbers(2));
    wants(scene);
    scene.shadows.consume();
    scene.shadows.put();
    const letGo = holdByAnother(scene, 'consumers');
    await stage.settle();
    letGo();
  }),
  suddenly('waits for the lock of a side', (stage) => {
    const scene = bufferScene(stage, numbers(2));
    const letGo = holdByAnother(scene, 'producers');
    offers(scene);
    scene.shadows.produce(2);
    letGo();
  }),
];
