// The parts of this package's kernel from which another kind's kernel is made: the entry '@sluice/semaphores/kernel'.

export { boxTake, boxTakeAll, drawInside, waitAt } from './box-office.ts';
export { FRONT } from './layout.ts';
export { releaseBy, type Post, type ReleaseOrTell, type Tell } from './release.ts';
export { giveBackClosed, seize, settleBehind } from './waits.ts';
