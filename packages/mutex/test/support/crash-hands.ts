// What the victim has in hand at a mutex when it dies without doing anything more.

import { suddenly } from '../../../core/test/support/crash-offices.ts';
import { together, type Operation } from '../../../core/test/support/crash-stage.ts';
import type { Mutex, RecursiveMutex } from '../../src/index.ts';
import { deepScene, mutexScene, type MutexScene } from './mutex-scene.ts';

export function owns({ shadows, side, theirs }: MutexScene<Mutex | RecursiveMutex>): void {
  theirs.lock();
  shadows.come(side, 2);
}

export function waits({ shadows, side, theirs }: MutexScene): void {
  shadows.take(side);
  void together([theirs.lockAsync({ ref: false })]);
  shadows.come(side);
}

export function wasGiven(scene: MutexScene): void {
  waits(scene);
  scene.shadows.go();
}

export const mutexHands: readonly Operation[] = [
  suddenly('owns a mutex and a recursive mutex', (stage) => {
    owns(mutexScene(stage));
    const deep = deepScene(stage);
    for (let depth = 0; depth < 3; depth++) deep.theirs.lock();
    owns(deep);
  }),
  suddenly('waits for one mutex and owns another', (stage) => {
    owns(mutexScene(stage));
    waits(mutexScene(stage));
  }),
  suddenly('was given a mutex and had not looked', (stage) => wasGiven(mutexScene(stage))),
];
