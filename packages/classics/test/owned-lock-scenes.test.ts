import '../../core/test/support/crash-injection.ts';
import { ownedLockScenes } from '../../core/test/support/owned-lock/scenes.ts';
import { KINDS } from './support/kinds.ts';

ownedLockScenes(KINDS);
