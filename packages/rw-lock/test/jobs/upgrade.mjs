// @ts-check
// Threads that read a pair of plain words, and change it in three ways: as writers, by an upgrade, and by an upgrade
// that may time out.
import { Region } from '@sluice/core';
import { RwLock } from '@sluice/rw-lock';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { RwLockHandle } from '@sluice/rw-lock' */
/** @import { JobContext } from '@sluice/harness' */

/** @typedef {{ lock: RwLockHandle, words: RegionHandle, rounds: number }} UpgradeData */

/** Returns the number of its changes of the pair. @param {UpgradeData} data @param {JobContext} context */
export async function mix({ lock: handle, words: region, rounds }, { random }) {
  const lock = RwLock.from(handle);
  const words = Region.from(region).int32;
  const { reader, writer, upgradeable } = lock;
  const look = () => {
    const [first = 0, second = 0] = words;
    if (first !== second) throw new Error(`A reader found ${first} and ${second}.`);
    return first;
  };
  let changes = 0;
  /** @param {number} from */
  const change = (from) => {
    if (look() !== from)
      throw new Error(`An agent read ${from}, and another agent wrote ${look()} before the upgrade of the first.`);
    words[0] = from + 1;
    words[1] = from + 1;
    changes += 1;
  };
  for (let round = 0; round < rounds; round++) {
    const way = random.below(10);
    if (way < 4) reader.run(look);
    else if (way < 5) writer.run(() => change(look()));
    else if (way < 9) {
      if (way < 6) await upgradeable.lockAsync();
      else upgradeable.lock();
      const seen = look();
      if (way === 5) await upgradeable.upgradeAsync();
      else if (way === 6) upgradeable.upgrade();
      const isWriter = writer.owned || upgradeable.tryUpgrade(random.below(2) / 10);
      if (isWriter) change(seen);
      else if (look() !== seen) throw new Error('Another agent wrote during an upgrade that timed out.');
      if (isWriter && random.chance(50)) {
        upgradeable.downgrade();
        if (look() !== seen + 1) throw new Error('Another agent wrote before the downgrade had ended.');
      }
      upgradeable.unlock();
    } else if (upgradeable.tryLock(random.below(2) / 10)) {
      look();
      upgradeable.unlock();
    }
  }
  return changes;
}
