// Schedules that state when something must have happened, which random schedules cannot.

import { RETRY_MS } from '../../../remote/src/session/attach.ts';
import type { RemoteGuard } from '../../../remote/src/primitives/guard.ts';
import { DIRECTED_KEYS } from './directed-keys.ts';
import { DIRECTED_ONCES } from './directed-onces.ts';
import { DIRECTED_RATES } from './directed-rates.ts';
import { DIRECTED_REFUSALS } from './directed-refusals.ts';
import { Ground, LEASE, lockOf, type Directed, type Wait } from './ground.ts';
import { settle, type Client } from './world.ts';

/** Returns the present state of a wait. The compiler does not see that it changes. */
function grantOf(wait: Wait): RemoteGuard | undefined {
  return wait.guard;
}

async function reconnect(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  const guard = await ground.hold(ground.first);
  const waiter = await ground.wait(ground.second);
  ground.second.breakChannels();
  await ground.release(guard);
  if (grantOf(waiter) !== undefined) return 'the message came through a broken connection';
  ground.second.breakChannels();
  await ground.arrive();
  return grantOf(waiter) === undefined ? 'the session did not ask when its connection was restored' : '';
}

async function silentChannel(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  const guard = await ground.hold(ground.first);
  const waiter = await ground.wait(ground.second);
  for (const channel of ground.second.channels) channel.up = false;
  await ground.release(guard);
  await ground.pass(LEASE / 3 + 1, () => waiter.guard !== undefined);
  if (waiter.guard === undefined) return 'the session did not ask with its heartbeat';
  await ground.pass(LEASE / 2);
  await ground.release(waiter.guard);
  const again = await ground.hold(ground.first);
  const next = await ground.wait(ground.second);
  await ground.release(again);
  return next.guard === undefined ? 'the session did not subscribe again' : '';
}

async function silentSinceBreak(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  const guard = await ground.hold(ground.first);
  const waiter = await ground.wait(ground.second);
  for (const channel of ground.second.channels) channel.up = false;
  lockOf(ground.second)
    .inspect()
    .catch(() => undefined);
  await settle();
  ground.second.breakCommands(false);
  await ground.arrive();
  await ground.release(guard);
  if (grantOf(waiter) !== undefined) return 'the message came through a silent channel';
  await ground.pass(LEASE / 6, () => waiter.guard !== undefined);
  return grantOf(waiter) === undefined ? 'the session did not ask again soon' : '';
}

async function silentSinceLostBeat(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  const guard = await ground.hold(ground.first);
  const waiter = await ground.wait(ground.second);
  for (const channel of ground.second.channels) channel.up = false;
  while (ground.second.calls.length === 0 && ground.world.tick()) await settle();
  ground.second.breakCommands(false);
  await ground.arrive();
  // The heartbeat is sent again, and another one follows it.
  await ground.pass(RETRY_MS);
  await ground.release(guard);
  if (grantOf(waiter) !== undefined) return 'the message came through a silent channel';
  await ground.pass(LEASE / 6, () => waiter.guard !== undefined);
  return grantOf(waiter) === undefined ? 'the session did not ask again soon' : '';
}

async function handOver(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  // From its second acquire on, a session takes the fast paths.
  await ground.release(await ground.hold(ground.first));
  const guard = await ground.hold(ground.first);
  const waiter = await ground.wait(ground.second);
  await ground.release(guard);
  return grantOf(waiter) === undefined ? 'the release granted no waiter' : '';
}

async function ghost(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  await ground.release(await ground.hold(ground.first));
  const controller = new AbortController();
  lockOf(ground.first)
    .lockAsync({ signal: controller.signal })
    .catch(() => undefined);
  await settle();
  controller.abort();
  await settle();
  ground.first.breakCommands(true);
  await ground.arrive();
  for (const { base, args } of ground.world.ghosts) ground.world.run(base, args);
  return ground.world.server.dump.includes('sl:{model}:p:m:m free 1') ? '' : 'an acquire was granted after its cancel';
}

async function lateCall(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  void lockOf(ground.first)
    .holdAsync()
    .catch(() => undefined);
  // Only calls of the other session arrive: a heartbeat, and a call that advances the clock.
  while (ground.second.calls.length === 0 && ground.world.tick()) await settle();
  ground.second.runNext();
  ground.world.now += 0.4 * LEASE;
  lockOf(ground.second)
    .inspect()
    .catch(() => undefined);
  await settle();
  ground.second.runNext();
  ground.world.now += 0.4 * LEASE;
  ground.first.runNext();
  return ground.world.server.dump.some((line) => line.includes(':p:m:m '))
    ? 'a session that has ended took a lock'
    : '';
}

async function earlyTimer(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client, 0.4);
  const { signal } = await ground.hold(ground.first);
  const end = ground.world.now + 0.95 * LEASE;
  // From now on no call arrives at the server.
  while (ground.world.now < end && !signal.aborted && ground.world.tick()) await settle();
  return signal.aborted ? '' : 'the holder was not told that its lease has ended';
}

async function lostReply(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  const guard = await ground.hold(ground.first);
  const waiter: Wait = { guard: undefined };
  void lockOf(ground.second)
    .holdAsync()
    .then((granted) => (waiter.guard = granted));
  await settle();
  ground.second.runNext();
  ground.second.breakCommands(false);
  // Before the session sends the call again, the message of the grant arrives and the caller releases.
  await ground.release(guard);
  if (waiter.guard === undefined) return 'the message did not come';
  await ground.release(waiter.guard);
  await ground.pass(LEASE);
  const report = lockOf(ground.first).inspect();
  await ground.arrive();
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
