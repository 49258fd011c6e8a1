// What the victim has in hand at box offices when it dies of a sudden.

import type { Mutex, RecursiveMutex } from '../../../mutex/src/index.ts';
import {
  atEvent,
  deepScene,
  eventScene,
  mutexScene,
  rwScene,
  type EventScene,
  type MutexScene,
  type RwScene,
} from './crash-offices.ts';
import { together, type Operation, type Stage } from './crash-stage.ts';

function nothing(): void {
  // It does nothing more.
}

function owns({ shadows, side, theirs }: MutexScene<Mutex | RecursiveMutex>): void {
  theirs.lock();
  shadows.come(side, 2);
}

function waits({ shadows, side, theirs }: MutexScene): void {
  shadows.take(side);
  void together([theirs.lockAsync({ ref: false })]);
  shadows.come(side);
}

function wasGiven(scene: MutexScene): void {
  waits(scene);
  scene.shadows.go();
}

function writes({ shadows, reader, writer, theirs }: RwScene): void {
  theirs.writer.lock();
  shadows.come(writer);
  shadows.come(reader);
}

function reads({ shadows, reader, writer, theirs }: RwScene): void {
  for (let times = 0; times < 2; times++) theirs.reader.lock();
  shadows.come(writer);
  shadows.come(reader);
}

function waitsOnBothSides({ shadows, reader, writer, theirs }: RwScene): void {
  shadows.take(writer);
  void together([theirs.writer.lockAsync({ ref: false }), theirs.reader.lockAsync({ ref: false })]);
  shadows.come(reader);
  shadows.come(writer);
}

function wasLetIn(side: 'reader' | 'writer', { shadows, writer, theirs }: RwScene): void {
  shadows.take(writer);
  void together([theirs[side].lockAsync({ ref: false })]);
  shadows.come(writer);
  shadows.go();
}

function wasSignalled({ shadows, theirs }: EventScene, behind: number): void {
  void together([theirs.waitAsync({ ref: false })]);
  shadows.come(behind);
  shadows.signal();
}

function suddenly(name: string, prepare: (stage: Stage) => void): Operation {
  return {
    name,
    async prepare(stage) {
      prepare(stage);
      await Promise.resolve();
      return nothing;
    },
  };
}

export const officeHands: readonly Operation[] = [
  suddenly('owns mutexes and writes', (stage) => {
    owns(mutexScene(stage));
    const deep = deepScene(stage);
    for (let depth = 0; depth < 3; depth++) deep.theirs.lock();
    owns(deep);
    writes(rwScene(stage));
  }),
  suddenly('reads one lock and waits for others', (stage) => {
    reads(rwScene(stage));
    waits(mutexScene(stage));
    waitsOnBothSides(rwScene(stage));
  }),
  suddenly('was given locks and had not looked', (stage) => {
    wasGiven(mutexScene(stage));
    wasLetIn('writer', rwScene(stage));
    wasLetIn('reader', rwScene(stage));
  }),
  suddenly('was signalled and had not looked', (stage) => {
    wasSignalled(eventScene(stage), 2);
    wasSignalled(eventScene(stage), 0);
  }),
  atEvent('waits for an event between others', ({ shadows, theirs }) => {
    shadows.come();
    void together([theirs.waitAsync({ ref: false })]);
    shadows.come();
    shadows.signal();
    return nothing;
  }),
];
