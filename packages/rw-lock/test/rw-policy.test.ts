// Tests the order of readers and writers. All agents run in one thread and wait asynchronously. The test turns their
// event loops.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { Line } from './support/rw-line.ts';
import './support/kinds.ts';

describe.each(['wasm', 'js'] as const)('RwLock (%s)', (engine) => {
  const newLine = (): Line => new Line(engine);

  test('writer.unlock() admits all waiting readers, even behind another writer, and then the next writer', async () => {
    const line = newLine();
    line.come('w1', 'w2', 'r1', 'w3', 'r2', 'r3');
    await line.expectInside(['w1'], 3, 2);
    line.leave('w1');
    await line.expectInside(['r1', 'r2', 'r3'], 0, 2);
    line.leave('r2', 'r1');
    await line.expectInside(['r3'], 0, 2);
    line.leave('r3');
    await line.expectInside(['w2'], 0, 1);
    line.leave('w2');
    await line.expectInside(['w3']);
    line.leave('w3');
    await line.expectEmpty();
  });

  test('a reader that arrives while a writer waits queues behind it, even while others read', async () => {
    const line = newLine();
    line.come('r1', 'w1', 'r2');
    await line.expectInside(['r1'], 1, 1);
    expect(line.lock.reader.tryLock()).toBe(false);
    line.leave('r1');
    await line.expectInside(['w1'], 1);
    line.leave('w1');
    await line.expectInside(['r2']);
    line.leave('r2');
    await line.expectEmpty();
  });

  test('readers are admitted at once while only readers hold the lock and no writer waits', async () => {
    const line = newLine();
    for (const names of [['r1'], ['r1', 'r2'], ['r1', 'r2', 'r3']]) {
      line.come(names.at(-1) ?? '');
      await line.expectInside(names);
    }
    line.leave('r1', 'r2', 'r3');
    await line.expectEmpty();
  });

  test('the last reader to unlock admits the next writer, and no reader before it does', async () => {
    const line = newLine();
    line.come('r1', 'r2', 'r3', 'w1', 'w2');
    line.leave('r1', 'r3');
    await line.expectInside(['r2'], 0, 2);
    line.leave('r2');
    await line.expectInside(['w1'], 0, 1);
    line.leave('w1');
    await line.expectInside(['w2']);
    line.leave('w2');
    await line.expectEmpty();
  });

  test('readers and writers take turns while both keep arriving', async () => {
    const line = newLine();
    line.come('w0', 'r0', 'w1');
    for (let round = 0; round < 5; round++) {
      await line.expectInside([`w${round}`], 1, 1);
      // Arrives after the waiting writer, and is admitted before it.
      line.come(`r${round}'`);
      line.leave(`w${round}`);
      await line.expectInside([`r${round}`, `r${round}'`], 0, 1);
      line.come(`w${round + 2}`, `r${round + 1}`);
      line.leave(`r${round}`, `r${round}'`);
    }
    await line.expectInside(['w5'], 1, 1);
    line.leave('w5');
    await line.expectInside(['r5'], 0, 1);
    line.leave('r5');
    await line.expectInside(['w6']);
    line.leave('w6');
    await line.expectEmpty();
  });

  test('writers are admitted in the order of arrival, readers all at once', async () => {
    const line = newLine();
    line.come('w0', 'r1', 'r2', 'w1', 'w2', 'r3', 'w3', 'r4');
    line.leave('w0');
    await line.expectInside(['r1', 'r2', 'r3', 'r4'], 0, 3);
    line.leave('r4', 'r3', 'r2', 'r1');
    await line.expectInside(['w1'], 0, 2);
    line.leave('w1');
    await line.expectInside(['w2'], 0, 1);
    line.leave('w2');
    await line.expectInside(['w3']);
    line.leave('w3');
    await line.expectEmpty();
  });

  test('aborting a waiting writer admits the readers behind it if only readers hold the lock', async () => {
    const line = newLine();
    line.come('r1', 'w1', 'r2', 'r3');
    line.giveUp('w1');
    await line.expectInside(['r1', 'r2', 'r3']);
    line.come('r4');
    await line.expectInside(['r1', 'r2', 'r3', 'r4']);
    line.leave('r1', 'r2', 'r3', 'r4');
    await line.expectEmpty();
  });

  test.each([
    ['w1', 'w2'],
    ['w2', 'w1'],
  ])('when %s of two waiting writers is aborted, readers still wait for %s', async (leaver, left) => {
    const line = newLine();
    line.come('r1', 'w1', 'r2', 'w2', 'r3');
    line.giveUp(leaver);
    await line.expectInside(['r1'], 2, 1);
    line.leave('r1');
    await line.expectInside([left], 2);
    line.leave(left);
    await line.expectInside(['r2', 'r3']);
    line.leave('r2', 'r3');
    await line.expectEmpty();
  });

  test('aborting both of two waiting writers, in either order, admits the readers behind them', async () => {
    for (const leavers of [
      ['w1', 'w2'],
      ['w2', 'w1'],
    ]) {
      const line = newLine();
      line.come('r1', 'w1', 'r2', 'w2', 'r3');
      line.giveUp(...leavers);
      await line.expectInside(['r1', 'r2', 'r3']);
      line.leave('r1', 'r2', 'r3');
      await line.expectEmpty();
    }
  });

  test('aborting a waiting writer admits no reader while a writer holds the lock', async () => {
    const line = newLine();
    line.come('w1', 'w2', 'r1');
    line.giveUp('w2');
    await line.expectInside(['w1'], 1);
    line.leave('w1');
    await line.expectInside(['r1']);
    line.leave('r1');
    await line.expectEmpty();
  });

  test('aborted readers are skipped, and the next writer is admitted if all readers were aborted', async () => {
    const line = newLine();
    line.come('w1', 'r1', 'r2', 'w2', 'r3', 'w3', 'r4');
    line.giveUp('r2');
    line.leave('w1');
    await line.expectInside(['r1', 'r3', 'r4'], 0, 2);
    line.leave('r1', 'r3', 'r4');
    await line.expectInside(['w2'], 0, 1);
    line.come('r5', 'r6');
    line.giveUp('r6', 'r5');
    line.leave('w2');
    await line.expectInside(['w3']);
    line.leave('w3');
    await line.expectEmpty();
  });

  test('an abort after the admission has no effect, for a reader and for a writer', async () => {
    const line = newLine();
    line.come('w1', 'r1', 'r2', 'w2');
    line.leave('w1');
    line.giveUp('r1');
    await line.expectInside(['r1', 'r2'], 0, 1);
    line.leave('r1', 'r2');
    line.giveUp('w2');
    await line.expectInside(['w2']);
    line.leave('w2');
    await line.expectEmpty();
  });

  test('aborting one writer after its admission and another before it delays no other waiter', async () => {
    const line = newLine();
    line.come('r1', 'w1', 'w2', 'r2');
    line.leave('r1');
    line.giveUp('w1', 'w2');
    await line.expectInside(['w1'], 1);
    line.leave('w1');
    await line.expectInside(['r2']);
    line.leave('r2');
    await line.expectEmpty();
  });

  test('downgrade() admits all waiting readers, and writers wait for them and for the downgraded writer', async () => {
    const line = newLine();
    line.come('w0', 'w1', 'r1', 'r2');
    await line.expectInside(['w0'], 2, 1);
    line.downgrade('w0');
    await line.expectInside(['w0', 'r1', 'r2'], 0, 1);
    line.come('r3');
    await line.expectInside(['w0', 'r1', 'r2'], 1, 1);
    line.leave('r1', 'w0');
    await line.expectInside(['r2'], 1, 1);
    line.leave('r2');
    await line.expectInside(['w1'], 1);
    line.leave('w1');
    await line.expectInside(['r3']);
    line.leave('r3');
    await line.expectEmpty();
  });

  test('after downgrade() other agents may read, unless a writer waits', async () => {
    const line = newLine();
    line.come('w0');
    await line.expectInside(['w0']);
    line.downgrade('w0');
    line.come('r1');
    await line.expectInside(['w0', 'r1']);
    line.leave('w0', 'r1');
    line.come('w1', 'w2');
    await line.expectInside(['w1'], 0, 1);
    line.downgrade('w1');
    line.come('r2');
    await line.expectInside(['w1'], 1, 1);
    line.leave('w1');
    await line.expectInside(['w2'], 1);
    line.leave('w2');
    await line.expectInside(['r2']);
    line.leave('r2');
    await line.expectEmpty();
  });

  test('a blocked reader is admitted together with async readers, and a blocked writer in its turn', async () => {
    const line = newLine();
    line.come('w1', 'r1', 'w2');
    await line.expectInside(['w1'], 1, 1);
    line.blockingRead(() => line.leave('w1'));
    await line.expectInside(['r1'], 0, 1);
    line.lock.reader.unlock();
    line.blockingWrite(
      () => line.leave('r1'),
      () => line.leave('w2'),
    );
    expect(line.lock.writer.owned).toBe(true);
    line.lock.writer.unlock();
    await line.expectEmpty();
  });
});
