// What the victim has in hand at a bounded buffer when it dies of a sudden.

import { bufferScene, hold, holdByAnother, numbers, TEXTS, type BufferScene, type SideName } from './mortal-buffer-scene.ts';
import { together, type Operation, type Stage } from './mortal-stage.ts';

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

/** The victim is writing or reading: it owns the lock of that side. */
function isInside({ stage, guests }: BufferScene, side: SideName): void {
  hold(stage.victim, guests, side);
}

function offers({ guests, theirs }: BufferScene): void {
  void together([guests.offerAsync((value) => theirs.pushAsync(value, { ref: false }))]);
}

function wants({ guests, theirs }: BufferScene): void {
  void together([guests.receiveAsync(1, () => theirs.popAsync({ ref: false }))]);
}

export const bufferHands: readonly Operation[] = [
  suddenly('is writing while others want to write and to read', (stage) => {
    const scene = bufferScene(stage, numbers(2));
    scene.guests.consume(2);
    isInside(scene, 'producers');
    scene.guests.produce(2);
  }),
  suddenly('is reading while others want to read and to write', (stage) => {
    const scene = bufferScene(stage, numbers(2));
    scene.guests.put(2);
    scene.guests.produce(1);
    isInside(scene, 'consumers');
    scene.guests.consume(2);
  }),
  suddenly('is reading when values come that others wait for', (stage) => {
    const scene = bufferScene(stage, numbers(2));
    scene.guests.consume(3);
    isInside(scene, 'consumers');
    // Nothing can be promised before it has left.
    scene.guests.put(2);
  }),
  suddenly('is writing at one buffer and reading at another', (stage) => {
    const [one, other] = [bufferScene(stage, numbers(2)), bufferScene(stage, TEXTS)];
    other.guests.put(2);
    isInside(one, 'producers');
    isInside(other, 'consumers');
  }),
  suddenly('waits for room between others, and for a value elsewhere', (stage) => {
    const [full, empty] = [bufferScene(stage, numbers(1)), bufferScene(stage, numbers(1))];
    full.guests.put();
    for (const act of [() => full.guests.produce(), () => offers(full), () => full.guests.produce()]) act();
    for (const act of [() => empty.guests.consume(), () => wants(empty), () => empty.guests.consume()]) act();
  }, { world: { pages: 2 } }),
  suddenly('was promised room and had not looked, and others wait', (stage) => {
    const scene = bufferScene(stage, numbers(1));
    scene.guests.put();
    offers(scene);
    scene.guests.produce(2);
    scene.guests.take();
  }),
  suddenly('was promised values and had not looked, and nobody waits', (stage) => {
    const scene = bufferScene(stage, numbers(2));
    wants(scene);
    wants(scene);
    scene.guests.put(2);
  }),
  suddenly('was promised room for a text and had not looked', (stage) => {
    const scene = bufferScene(stage, TEXTS);
    scene.guests.put(3);
    offers(scene);
    scene.guests.produce(1);
    scene.guests.take(3);
  }),
  suddenly('was promised a value and waits for the lock', async (stage) => {
    const scene = bufferScene(stage, numbers(2));
    wants(scene);
    scene.guests.consume();
    scene.guests.put();
    const letGo = holdByAnother(scene, 'consumers');
    await stage.settle();
    letGo();
  }),
  suddenly('waits for the lock of a side', (stage) => {
    const scene = bufferScene(stage, numbers(2));
    const letGo = holdByAnother(scene, 'producers');
    offers(scene);
    scene.guests.produce(2);
    letGo();
  }),
];
