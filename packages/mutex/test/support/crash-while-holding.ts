// Operations after which the victim holds something at a mutex, and dies without a further step.

import { suddenly } from '../../../core/test/support/crash-offices.ts';
import { together, type Operation, type Stage } from '../../../core/test/support/crash-stage.ts';
import { lockScene, owns } from '../../../core/test/support/owned-lock/crash-scene.ts';
import { mutex, recursive } from './crash-mutexes.ts';

export function ownsBoth(stage: Stage): void {
  owns(lockScene(stage, mutex));
  const deep = lockScene(stage, recursive);
  for (let depth = 0; depth < 3; depth++) deep.theirs.lock();
  owns(deep);
}

export function waits(stage: Stage): { readonly unlock: () => void } {
  const { shadows, side, theirs } = lockScene(stage, mutex);
  shadows.take(side);
  void together([theirs.lockAsync({ ref: false })]);
  shadows.come(side);
  return { unlock: () => shadows.go() };
}

export function wasHanded(stage: Stage): void {
  waits(stage).unlock();
}

export const mutexHoldings: readonly Operation[] = [
  suddenly('owns a mutex and a recursive mutex', ownsBoth),
  suddenly('waits for one mutex and owns another', (stage) => {
    owns(lockScene(stage, mutex));
    waits(stage);
  }),
  suddenly('was handed a mutex and did not yet know it', wasHanded),
];
