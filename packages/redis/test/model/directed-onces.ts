// Schedules of onces that state when something must have happened.

import { Ground, watch, type Directed } from './ground.ts';
import { Process, settle, type Client } from './world.ts';

const LEASE = 1000;

async function done(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  const end: { now: () => void } = { now: () => undefined };
  const attempt = watch(
    ground.first.space.once('o').runAsync(() => new Promise<void>((resolve) => (end.now = resolve))),
  );
  await ground.arrive();
  const waits = [
    watch(ground.second.space.once('o').tryWait(LEASE)),
    watch(ground.second.space.once('o').tryRun(() => Promise.reject(new Error('It ran')), LEASE)),
  ];
  await ground.arrive();
  if (waits.some(({ value }) => value !== undefined)) return 'a call did not wait';
  end.now();
  await ground.arrive();
  if (!('value' in attempt)) return 'the attempt did not end';
  if (!waits.every(({ value }) => value === true)) return 'a waiter was not told';
  const closed = watch(Promise.all([ground.first.space.close(), ground.second.space.close()]));
  await ground.arrive();
  if (closed.value === undefined) return 'the sessions did not close';
  const later = watch(new Process(ground.world, client, 'model', LEASE, 'later').space.once('o').tryWait());
  await ground.arrive();
  return later.value === true ? '' : 'a later session does not know that the once is done';
}

async function lostFinish(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  const end: { now: () => void } = { now: () => undefined };
  const attempt = watch(
    ground.first.space.once('o').runAsync(() => new Promise<void>((resolve) => (end.now = resolve))),
  );
  await ground.arrive();
  end.now();
  await settle();
  ground.first.runNext();
  ground.first.breakCommands(false);
  await ground.pass(LEASE / 2, () => 'value' in attempt || 'failure' in attempt);
  return 'value' in attempt ? '' : `the attempt failed: ${String(attempt.failure)}`;
}

async function lostAttempt(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  const first = watch(ground.first.space.once('o').runAsync(() => Promise.reject(new Error('It failed'))));
  await settle();
  ground.first.runNext();
  ground.first.breakCommands(false);
  await ground.pass(LEASE, () => first.failure !== undefined);
  if (String(first.failure) !== 'Error: It failed') return `the attempt was not made: ${String(first.failure)}`;
  const next = watch(ground.second.space.once('o').runAsync(() => undefined));
  // This must happen before any heartbeat.
  await ground.arrive();
  return 'value' in next ? '' : 'the permit did not return';
}

async function behind(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  const fail: { now: () => void } = { now: () => undefined };
  const first = watch(
    ground.first.space
      .once('o')
      .runAsync(() => new Promise<void>((_, reject) => (fail.now = () => reject(new Error('It failed'))))),
  );
  await ground.arrive();
  const waiter = watch(ground.second.space.once('o').tryWait(LEASE));
  await ground.arrive();
  const next = watch(ground.second.space.once('o').runAsync(() => undefined));
  await ground.arrive();
  fail.now();
  await ground.arrive();
  if (first.failure === undefined) return 'the first attempt did not fail';
  return 'value' in next && waiter.value === true ? '' : 'the next initialiser did not run';
}

export const DIRECTED_ONCES: readonly Directed[] = [
  { name: 'a finished once', run: done },
  { name: 'a finish whose reply is lost', run: lostFinish },
  { name: 'an attempt whose reply is lost', run: lostAttempt },
  { name: 'an initialiser behind a call that only waits', run: behind },
];
