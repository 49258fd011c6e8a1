// Tests the messages on the channels, of threads that are played by agents of this thread.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, test, vi } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { DeadlockFixture } from '../../core/test/support/deadlock-fixture.ts';
import { Semaphore, UnsupportedError } from '../../core/src/index.ts';
import { CHANNELS, startChannels } from '../src/index.ts';

type Message = Readonly<Record<string, unknown>>;

/** Collects the messages of all channels while `run` runs. */
function messagesOf(run: () => void): Message[] {
  const messages: Message[] = [];
  const listener = (message: unknown, channel: string | symbol): void => {
    messages.push({ channel, ...(message as Message) });
  };
  for (const name of Object.values(CHANNELS)) subscribe(name, listener);
  try {
    run();
  } finally {
    for (const name of Object.values(CHANNELS)) unsubscribe(name, listener);
  }
  return messages;
}

function twoAgents(): {
  agents: DeadlockFixture;
  ours: Semaphore;
  jobs: Semaphore;
  worker: ReturnType<DeadlockFixture['join']>;
} {
  const agents = new DeadlockFixture([]);
  const ours = Semaphore.create(0, { arena: agents.watcher.arena, name: 'jobs' });
  const worker = agents.join();
  return { agents, ours, worker, jobs: worker.semaphore(ours) };
}

test('a wait and a hold have a message at their beginning, and one with the duration at their end', () => {
  using channels = startChannels();
  const { ours, worker, jobs } = twoAgents();
  const messages = messagesOf(() => {
    worker.life.meanwhile.push(() => ours.release());
    jobs.acquire();
    jobs.release();
  });
  const about = {
    primitive: "semaphore 'jobs'",
    kind: 'semaphore',
    name: 'jobs',
    address: ours.handle.address,
    agent: worker.id,
    arena: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
  };
  const duration = expect.any(Number) as number;
  expect(messages).toEqual([
    { channel: 'sluice:wait', event: 'start', ...about, how: 'blocking', id: messages[0]?.['id'] },
    {
      channel: 'sluice:wait',
      event: 'end',
      ...about,
      how: 'blocking',
      id: messages[0]?.['id'],
      durationMs: duration,
      outcome: 'taken',
    },
    { channel: 'sluice:hold', event: 'start', ...about, permits: 1, id: messages[2]?.['id'] },
    { channel: 'sluice:hold', event: 'end', ...about, permits: 1, id: messages[2]?.['id'], durationMs: duration },
  ]);
  for (const { durationMs } of messages) expect(Number(durationMs ?? 0)).toBeGreaterThanOrEqual(0);
  channels.stop();
});

test('a recovery has messages with the title of the dead agent and with the report', () => {
  using channels = startChannels();
  const { agents, ours, worker, jobs } = twoAgents();
  ours.release();
  jobs.acquire();
  worker.life.die();
  const messages = messagesOf(() => agents.watcher.arena.reclaimDead());
  expect(messages).toMatchObject([
    { channel: 'sluice:reclaim', event: 'start', agent: worker.id },
    { channel: 'sluice:reclaim', event: 'end', agent: worker.id, report: { permits: [{ name: 'jobs', permits: 1 }] } },
  ]);
  expect(messages[0]?.['title']).toMatch(new RegExp(`^agent ${worker.id}\\b`));
  channels.stop();
});

test('each permit that is released ends the hold that began first', () => {
  using channels = startChannels();
  const { jobs } = twoAgents();
  jobs.release();
  jobs.release();
  const messages = messagesOf(() => {
    jobs.acquire();
    jobs.acquire();
    jobs.release();
    jobs.release();
  }).filter(({ channel }) => channel === CHANNELS.hold);
  const [first, second] = messages.map(({ id }) => id);
  expect(messages.map(({ event, id }) => [event, id])).toEqual([
    ['start', first],
    ['start', second],
    ['end', first],
    ['end', second],
  ]);
  channels.stop();
});

test('a subscriber that comes during a wait gets its end with the whole duration; without one nothing is published', () => {
  using channels = startChannels();
  const { ours, worker, jobs } = twoAgents();
  const ends: Message[] = [];
  const listener = (message: unknown): void => void ends.push(message as Message);
  worker.life.meanwhile.push(() => {
    subscribe(CHANNELS.wait, listener);
    ours.release();
  });
  jobs.acquire();
  expect(ends).toMatchObject([{ event: 'end', outcome: 'taken' }]);
  unsubscribe(CHANNELS.wait, listener);
  channels.stop();
  expect(
    messagesOf(() => {
      worker.life.meanwhile.push(() => ours.release());
      jobs.acquire();
    }),
  ).toEqual([]);
});

test('a platform without diagnostics_channel refuses', () => {
  vi.stubGlobal('process', {});
  try {
    expect(() => startChannels()).toThrow(UnsupportedError);
  } finally {
    vi.unstubAllGlobals();
  }
});
