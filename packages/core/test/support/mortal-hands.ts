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
} from './mortal-offices.ts';
import { together, type Operation, type Stage } from './mortal-stage.ts';

function nothing(): void {
  // It does nothing more.
}

function owns({ guests, side, theirs }: MutexScene<Mutex | RecursiveMutex>): void {
  theirs.lock();
  guests.come(side, 2);
}

function waits({ guests, side, theirs }: MutexScene): void {
  guests.take(side);
  void together([theirs.lockAsync({ ref: false })]);
  guests.come(side);
}

function wasGiven(scene: MutexScene): void {
  waits(scene);
  scene.guests.go();
}

function writes({ guests, reader, writer, theirs }: RwScene): void {
  theirs.writer.lock();
  guests.come(writer);
  guests.come(reader);
}

function reads({ guests, reader, writer, theirs }: RwScene): void {
  for (let times = 0; times < 2; times++) theirs.reader.lock();
  guests.come(writer);
  guests.come(reader);
}

function waitsOnBothSides({ guests, reader, writer, theirs }: RwScene): void {
  guests.take(writer);
  void together([theirs.writer.lockAsync({ ref: false }), theirs.reader.lockAsync({ ref: false })]);
  guests.come(reader);
  guests.come(writer);
}

function wasLetIn(side: 'reader' | 'writer', { guests, writer, theirs }: RwScene): void {
  guests.take(writer);
  void together([theirs[side].lockAsync({ ref: false })]);
  guests.come(writer);
  guests.go();
}

function wasSignalled({ guests, theirs }: EventScene, behind: number): void {
  void together([theirs.waitAsync({ ref: false })]);
  guests.come(behind);
  guests.signal();
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
  atEvent('waits for an event between others', ({ guests, theirs }) => {
    guests.come();
    void together([theirs.waitAsync({ ref: false })]);
    guests.come();
    guests.signal();
    return nothing;
  }),
];
