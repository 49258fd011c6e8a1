// Schedules of onces that state when something must have happened.

import { TwoProcesses, watch, type Directed } from './two-processes.ts';
import { Process, settle, type Client } from './world.ts';

const LEASE = 1000;

async function done(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  const end: { now: () => void } = { now: () => undefined };
  const attempt = watch(
    scene.first.space.once('o').runAsync(() => new Promise<void>((resolve) => (end.now = resolve))),
  );
  await scene.arrive();
  const waits = [
    watch(scene.second.space.once('o').tryWait(LEASE)),
    watch(scene.second.space.once('o').tryRun(() => Promise.reject(new Error('It ran')), LEASE)),
  ];
  await scene.arrive();
  if (waits.some(({ value }) => value !== undefined)) return 'a call did not wait';
  end.now();
  await scene.arrive();
  if (!('value' in attempt)) return 'the attempt did not end';
  if (!waits.every(({ value }) => value === true)) return 'a waiter was not told';
  const closed = watch(Promise.all([scene.first.space.close(), scene.second.space.close()]));
  await scene.arrive();
  if (closed.value === undefined) return 'the sessions did not close';
  const later = watch(new Process(scene.world, client, 'model', LEASE, 'later').space.once('o').tryWait());
  await scene.arrive();
  return later.value === true ? '' : 'a later session does not know that the once is done';
}

async function lostFinish(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  const end: { now: () => void } = { now: () => undefined };
  const attempt = watch(
    scene.first.space.once('o').runAsync(() => new Promise<void>((resolve) => (end.now = resolve))),
  );
  await scene.arrive();
  end.now();
  await settle();
  scene.first.runNext();
  scene.first.breakCommands(false);
  await scene.pass(LEASE / 2, () => 'value' in attempt || 'failure' in attempt);
  return 'value' in attempt ? '' : `the attempt failed: ${String(attempt.failure)}`;
}

async function lostAttempt(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  const first = watch(scene.first.space.once('o').runAsync(() => Promise.reject(new Error('It failed'))));
  await settle();
  scene.first.runNext();
  scene.first.breakCommands(false);
  await scene.pass(LEASE, () => first.failure !== undefined);
  if (String(first.failure) !== 'Error: It failed') return `the attempt was not made: ${String(first.failure)}`;
  const next = watch(scene.second.space.once('o').runAsync(() => undefined));
  // This must happen before any heartbeat.
  await scene.arrive();
  return 'value' in next ? '' : 'the permit did not return';
}

async function behind(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  const fail: { now: () => void } = { now: () => undefined };
  const first = watch(
    scene.first.space
      .once('o')
      .runAsync(() => new Promise<void>((_, reject) => (fail.now = () => reject(new Error('It failed'))))),
  );
  await scene.arrive();
  const waiter = watch(scene.second.space.once('o').tryWait(LEASE));
  await scene.arrive();
  const next = watch(scene.second.space.once('o').runAsync(() => undefined));
  await scene.arrive();
  fail.now();
  await scene.arrive();
  if (first.failure === undefined) return 'the first attempt did not fail';
  return 'value' in next && waiter.value === true ? '' : 'the next initialiser did not run';
}

export const DIRECTED_ONCES: readonly Directed[] = [
  { name: 'a finished once', run: done },
  { name: 'a finish whose reply is lost', run: lostFinish },
  { name: 'an attempt whose reply is lost', run: lostAttempt },
  { name: 'an initialiser behind a call that only waits', run: behind },
];
