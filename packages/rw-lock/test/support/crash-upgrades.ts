// A read-write lock with upgradeable readers for crash injection. The living agent's tasks lock its writer, its reader
// or its upgradeable side.

import { suddenly } from '../../../core/test/support/crash-offices.ts';
import { together, type Operation, type Stage } from '../../../core/test/support/crash-stage.ts';
import { waitersGetPermits } from '../../../core/test/support/predict-report.ts';
import { ShadowHolders, type ShadowSide } from '../../../core/test/support/shadow-holders.ts';
import { BLOCK_LINE, KIND_SEMAPHORE } from '../../../core/src/kernel/layout.ts';
import { RwLock } from '../../src/index.ts';

// The upgradeable side has its seat in a third line, which only this kind of block has.
waitersGetPermits(KIND_SEMAPHORE);

interface UpgradeScene {
  readonly stage: Stage;
  readonly theirs: RwLock;
  readonly shadows: ShadowHolders;
  readonly reads: ShadowSide;
  readonly writes: ShadowSide;
}

function upgradeScene(stage: Stage): UpgradeScene {
  const ours = RwLock.create({ arena: stage.living.arena, name: 'rw', order: 'fifo', upgradeable: true });
  const reads = { lock: ours.reader, shared: true };
  const writes = { lock: ours.writer, shared: false };
  const { address } = ours.handle;
  const shadows = new ShadowHolders(stage.living.arena, address, address + BLOCK_LINE, [writes, reads], {
    permits: [0n, 0n, 1n],
  });
  stage.witnesses.push(shadows);
  return { stage, theirs: RwLock.from(stage.world.handle(ours.handle, stage.victim)), shadows, reads, writes };
}

const at = (name: string, prepare: (scene: UpgradeScene) => () => unknown): Operation => ({
  name,
  prepare: (stage) => prepare(upgradeScene(stage)),
});

export const upgradeOperations: readonly Operation[] = [
  at('reads upgradeably and unlocks', ({ theirs }) => () => {
    theirs.upgradeable.lock();
    theirs.upgradeable.unlock();
  }),
  at('reads upgradeably before a writer', ({ theirs, shadows, writes }) => {
    theirs.upgradeable.lock();
    shadows.come(writes);
    return () => theirs.upgradeable.unlock();
  }),
  at('upgrades before a writer and unlocks', ({ theirs, shadows, writes }) => {
    theirs.upgradeable.lock();
    shadows.come(writes);
    return () => {
      theirs.upgradeable.upgrade();
      theirs.upgradeable.unlock();
    };
  }),
  at('downgrades before a writer and a reader', ({ theirs, shadows, reads, writes }) => {
    theirs.upgradeable.lock();
    theirs.upgradeable.upgrade();
    shadows.come(writes);
    shadows.come(reads);
    return () => {
      theirs.upgradeable.downgrade();
      theirs.upgradeable.unlock();
    };
  }),
  at('waits for a reader to upgrade, and times out', ({ theirs, shadows, reads, writes }) => {
    shadows.take(reads);
    theirs.upgradeable.lock();
    return () => {
      theirs.upgradeable.tryUpgrade(5);
      shadows.come(writes);
      theirs.upgradeable.unlock();
      shadows.go();
    };
  }),
  at('writes before a writer', ({ theirs, shadows, writes }) => () => {
    theirs.writer.lock();
    shadows.come(writes);
    theirs.writer.unlock();
  }),
  at('waits in async calls for the upgradeable side', ({ stage, theirs, shadows, writes }) => async () => {
    shadows.take(writes);
    const call = together([theirs.upgradeable.lockAsync({ ref: false })]);
    shadows.go();
    await stage.settle();
    await call;
    theirs.upgradeable.unlock();
  }),
];

export const upgradeHoldings: readonly Operation[] = [
  suddenly('reads upgradeably', (stage) => {
    const { theirs, shadows, writes } = upgradeScene(stage);
    theirs.upgradeable.lock();
    shadows.come(writes, 2);
  }),
  suddenly('has upgraded', (stage) => {
    const { theirs, shadows, reads, writes } = upgradeScene(stage);
    theirs.upgradeable.lock();
    theirs.upgradeable.upgrade();
    shadows.come(reads);
    shadows.come(writes);
  }),
];
