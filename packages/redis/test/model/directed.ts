// Schedules that state when something must have happened, which random schedules cannot.

import { RETRY_MS } from '../../../remote/src/session/attach.ts';
import type { RemoteGuard } from '../../../remote/src/primitives/guard.ts';
import { DIRECTED_KEYS } from './directed-keys.ts';
import { DIRECTED_ONCES } from './directed-onces.ts';
import { DIRECTED_RATES } from './directed-rates.ts';
import { DIRECTED_REFUSALS } from './directed-refusals.ts';
import { TwoProcesses, LEASE, lockOf, type Directed, type Wait } from './two-processes.ts';
import { settle, type Client } from './world.ts';

/** Returns the present state of a wait. The compiler does not see that it changes. */
function grantOf(wait: Wait): RemoteGuard | undefined {
  return wait.guard;
}

async function reconnect(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  const guard = await scene.hold(scene.first);
  const waiter = await scene.wait(scene.second);
  scene.second.breakChannels();
  await scene.release(guard);
  if (grantOf(waiter) !== undefined) return 'the message came through a broken connection';
  scene.second.breakChannels();
  await scene.arrive();
  return grantOf(waiter) === undefined ? 'the session did not ask when its connection was restored' : '';
}

async function silentChannel(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  const guard = await scene.hold(scene.first);
  const waiter = await scene.wait(scene.second);
  for (const channel of scene.second.channels) channel.up = false;
  await scene.release(guard);
  await scene.pass(LEASE / 3 + 1, () => waiter.guard !== undefined);
  if (waiter.guard === undefined) return 'the session did not ask with its heartbeat';
  await scene.pass(LEASE / 2);
  await scene.release(waiter.guard);
  const again = await scene.hold(scene.first);
  const next = await scene.wait(scene.second);
  await scene.release(again);
  return next.guard === undefined ? 'the session did not subscribe again' : '';
}

async function silentSinceBreak(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  const guard = await scene.hold(scene.first);
  const waiter = await scene.wait(scene.second);
  for (const channel of scene.second.channels) channel.up = false;
  lockOf(scene.second)
    .inspect()
    .catch(() => undefined);
  await settle();
  scene.second.breakCommands(false);
  await scene.arrive();
  await scene.release(guard);
  if (grantOf(waiter) !== undefined) return 'the message came through a silent channel';
  await scene.pass(LEASE / 6, () => waiter.guard !== undefined);
  return grantOf(waiter) === undefined ? 'the session did not ask again soon' : '';
}

async function silentSinceLostBeat(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  const guard = await scene.hold(scene.first);
  const waiter = await scene.wait(scene.second);
  for (const channel of scene.second.channels) channel.up = false;
  while (scene.second.calls.length === 0 && scene.world.tick()) await settle();
  scene.second.breakCommands(false);
  await scene.arrive();
  // The heartbeat is sent again, and another one follows it.
  await scene.pass(RETRY_MS);
  await scene.release(guard);
  if (grantOf(waiter) !== undefined) return 'the message came through a silent channel';
  await scene.pass(LEASE / 6, () => waiter.guard !== undefined);
  return grantOf(waiter) === undefined ? 'the session did not ask again soon' : '';
}

async function handOver(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  // From its second acquire on, a session takes the fast paths.
  await scene.release(await scene.hold(scene.first));
  const guard = await scene.hold(scene.first);
  const waiter = await scene.wait(scene.second);
  await scene.release(guard);
  return grantOf(waiter) === undefined ? 'the release granted no waiter' : '';
}

async function ghost(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  await scene.release(await scene.hold(scene.first));
  const controller = new AbortController();
  lockOf(scene.first)
    .lockAsync({ signal: controller.signal })
    .catch(() => undefined);
  await settle();
  controller.abort();
  await settle();
  scene.first.breakCommands(true);
  await scene.arrive();
  for (const { base, args } of scene.world.ghosts) scene.world.run(base, args);
  return scene.world.server.dump.includes('sl:{model}:p:m:m free 1') ? '' : 'an acquire was granted after its cancel';
}

async function lateCall(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  void lockOf(scene.first)
    .holdAsync()
    .catch(() => undefined);
  // Only calls of the other session arrive: a heartbeat, and a call that advances the clock.
  while (scene.second.calls.length === 0 && scene.world.tick()) await settle();
  scene.second.runNext();
  scene.world.now += 0.4 * LEASE;
  lockOf(scene.second)
    .inspect()
    .catch(() => undefined);
  await settle();
  scene.second.runNext();
  scene.world.now += 0.4 * LEASE;
  scene.first.runNext();
  return scene.world.server.dump.some((line) => line.includes(':p:m:m ')) ? 'a session that has ended took a lock' : '';
}

async function earlyTimer(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client, 0.4);
  const { signal } = await scene.hold(scene.first);
  const end = scene.world.now + 0.95 * LEASE;
  // From now on no call arrives at the server.
  while (scene.world.now < end && !signal.aborted && scene.world.tick()) await settle();
  return signal.aborted ? '' : 'the holder was not told that its lease has ended';
}

async function lostReply(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  const guard = await scene.hold(scene.first);
  const waiter: Wait = { guard: undefined };
  void lockOf(scene.second)
    .holdAsync()
    .then((granted) => (waiter.guard = granted));
  await settle();
  scene.second.runNext();
  scene.second.breakCommands(false);
  // Before the session sends the call again, the message of the grant arrives and the caller releases.
  await scene.release(guard);
  if (waiter.guard === undefined) return 'the message did not come';
  await scene.release(waiter.guard);
  await scene.pass(LEASE);
  const report = lockOf(scene.first).inspect();
  await scene.arrive();
  const { holders, waiters } = await report;
  return holders.length + waiters.length === 0 ? '' : 'an acquire was sent again for a caller that no longer waits';
}

export const DIRECTED: readonly Directed[] = [
  { name: 'a grant that is released before its call is sent again', run: lostReply },
  { name: 'a connection for messages that breaks during a grant', run: reconnect },
  { name: 'a channel that is silent without a sign', run: silentChannel },
  { name: 'a channel that is silent since a break', run: silentSinceBreak },
  { name: 'a channel that is silent since a break of a heartbeat', run: silentSinceLostBeat },
  { name: 'a release while another session waits', run: handOver },
  { name: 'an acquire that an old connection delivers after its cancel', run: ghost },
  { name: 'a call that arrives after the end of its lease', run: lateCall },
  { name: 'timers that ring early', run: earlyTimer },
  ...DIRECTED_RATES,
  ...DIRECTED_KEYS,
  ...DIRECTED_ONCES,
  ...DIRECTED_REFUSALS,
];
