// Events and words: what one thread tells others.

import type { AutoResetEventHandle, RegionHandle, SharedWordHandle } from 'sluice';
import { equal, type MainTools, type WorkerTools } from '../tools.ts';

const ROUNDS = 200;

interface PingPong {
  readonly there: AutoResetEventHandle;
  readonly back: AutoResetEventHandle;
  readonly ball: RegionHandle;
}

interface Waiting {
  readonly word: SharedWordHandle;
  readonly answer: SharedWordHandle;
}

export const jobs = {
  /** Answers each ball with the next number. */
  answer({ sluice }: WorkerTools, { there, back, ball }: PingPong): void {
    const [arrives, leaves] = [there, back].map((handle) => sluice.AutoResetEvent.from(handle));
    const { int32 } = sluice.Region.from(ball);
    for (let round = 0; round < ROUNDS; round++) {
      arrives?.wait();
      int32[0] = (int32[0] ?? 0) + 1;
      leaves?.signal();
    }
  },
  serve({ sluice }: WorkerTools, { there, back, ball }: PingPong): void {
    const [leaves, arrives] = [there, back].map((handle) => sluice.AutoResetEvent.from(handle));
    const { int32 } = sluice.Region.from(ball);
    for (let round = 0; round < ROUNDS / 2; round++) {
      leaves?.signal();
      arrives?.wait();
      equal(int32[0], round + 1, 'the ball');
    }
  },
  wait({ sluice }: WorkerTools, { word: handle, answer }: Waiting): void {
    const { SharedWord, waitOnAddress, addressWaitUntil, addressSignal, wakeByAddressAll } = sluice;
    const [word, reply] = [SharedWord.from(handle), SharedWord.from(answer)];
    for (let round = 0; round < ROUNDS; round++) {
      while (word.load() === round) waitOnAddress(word, round);
      reply.store(round + 1);
      wakeByAddressAll(reply);
      addressSignal(reply);
    }
    addressWaitUntil(word, () => word.load() === -1);
    reply.store(-1);
    addressSignal(reply);
  },
};

async function events({ sluice, arena, start }: MainTools): Promise<void> {
  const [there, back] = [0, 1].map(() => sluice.AutoResetEvent.create({ arena }));
  if (there === undefined || back === undefined) return;
  const ball = sluice.Region.create(4, { arena });
  const data: PingPong = { there: there.handle, back: back.handle, ball: ball.handle };
  const answering = start('answer', data);
  await start('serve', data).done;
  for (let round = ROUNDS / 2; round < ROUNDS; round++) {
    there.signal();
    await back.waitAsync({ timeout: 30_000 });
    equal(ball.int32[0], round + 1, 'the ball in the main thread');
  }
  await answering.done;
}

async function words({ sluice, arena, start }: MainTools): Promise<void> {
  const [word, answer] = [sluice.SharedWord.create(0, { arena }), sluice.SharedWord.create(0, { arena })];
  const worker = start('wait', { word: word.handle, answer: answer.handle } satisfies Waiting);
  for (let round = 0; round < ROUNDS; round++) {
    word.store(round + 1);
    sluice.wakeByAddressAll(word);
    if (round % 2 === 0)
      await sluice.addressWaitUntilAsync(answer, () => answer.load() === round + 1, { timeout: 30_000 });
    else while (answer.load() === round) await sluice.waitOnAddressAsync(answer, round, { timeout: 30_000 });
    equal(answer.load(), round + 1, 'the answer');
  }
  word.store(-1);
  sluice.addressSignal(word);
  await sluice.addressWaitUntilAsync(answer, () => answer.load() === -1, { timeout: 30_000 });
  await worker.done;
}

export async function main(tools: MainTools): Promise<void> {
  await events(tools);
  await words(tools);
}
