// Rate limiters: what must have happened by when.

import type { RemoteRateLimiter } from '../../src/rate-limiter.ts';
import type { RemoteReservation } from '../../src/reservation.ts';
import { Ground, watch, type Directed } from './ground.ts';
import { Process, settle, type Client } from './world.ts';

const LEASE = 1000;
/** A permit in 100 ms. */
const RATE = { permits: 10, interval: 1000, burst: 4 } as const;
/** It takes 2 s to be full: longer than a lease. */
const SLOW = { permits: 10, interval: 1000, burst: 20 } as const;

function rateOf(process: Process): RemoteRateLimiter {
  return process.space.rateLimiter('r', RATE);
}

async function bookingAtOnce(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  const first = watch(rateOf(ground.first).reserveAsync(4));
  await ground.arrive();
  const second = watch<RemoteReservation>(rateOf(ground.second).reserveAsync(2));
  await ground.arrive();
  if (first.value?.delay !== 0) return `the first booking has the delay ${first.value?.delay}`;
  return Math.round(second.value?.delay ?? 0) === 200 ? '' : `the second booking has the delay ${second.value?.delay}`;
}

async function lostBooking(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  const booking = watch(rateOf(ground.first).reserveAsync(3));
  await settle();
  ground.first.runNext();
  ground.first.breakCommands(false);
  await ground.pass(LEASE / 2, () => booking.value !== undefined);
  if (booking.value === undefined) return 'the booking was not made';
  const { charged } = ground.world.server;
  if (charged !== 3) return `${charged} permits are charged`;
  const returned = watch(booking.value.cancel());
  await ground.arrive();
  return returned.value === true && ground.world.server.charged === 0 ? '' : 'the permits did not return';
}

async function bookingReturns(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  const booking = watch(rateOf(ground.first).reserveAsync(4));
  await ground.arrive();
  const waiter = watch(rateOf(ground.second).tryAcquire(4, LEASE));
  await ground.arrive();
  void booking.value?.cancel();
  await ground.arrive();
  return waiter.value === true ? '' : 'the waiter was not granted';
}

async function head(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  await ground.take(rateOf(ground.first), 4);
  const waits = [watch(rateOf(ground.first).tryAcquire(1, LEASE)), watch(rateOf(ground.second).tryAcquire(1, LEASE))];
  await ground.arrive();
  // Time goes from one timer to the next, and the next heartbeat is 333 ms away.
  const began = ground.world.now;
  await ground.pass(LEASE, () => waits[0]?.value !== undefined);
  if (waits[0]?.value !== true || ground.world.now - began > 120) return 'the first was not granted when its permit was there';
  await ground.pass(LEASE, () => waits[1]?.value !== undefined);
  return waits[1]?.value === true && ground.world.now - began < 220 ? '' : 'the second was not granted when its permit was there';
}

async function lostTime(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  await ground.take(rateOf(ground.first), 4);
  const waits = [watch(rateOf(ground.first).tryAcquire(1, LEASE)), watch(rateOf(ground.second).tryAcquire(1, LEASE))];
  await ground.arrive();
  // The second is told its time when it becomes the head, and does not hear it.
  for (const channel of ground.second.channels) channel.up = false;
  await ground.pass(LEASE * 0.75);
  return waits.every(({ value }) => value === true) ? '' : 'no heartbeat has looked';
}

async function tooLate(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  await ground.take(rateOf(ground.first), 4);
  const late = watch(rateOf(ground.first).tryAcquire(4, 300));
  await ground.arrive();
  const next = watch(rateOf(ground.second).tryAcquire(1, LEASE));
  await ground.arrive();
  if (late.value !== false) return 'the head waits for permits that come after its timeout';
  const began = ground.world.now;
  await ground.pass(LEASE, () => next.value !== undefined);
  return next.value === true && ground.world.now - began < 120 ? '' : 'the next waiter was held up';
}

async function unused(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  await ground.take(ground.first.space.rateLimiter('r', SLOW), 20);
  const closed = watch(Promise.all([ground.first.space.close(), ground.second.space.close()]));
  await ground.arrive();
  if (closed.value === undefined) return 'the sessions did not close';
  const open = async (ms: number, n: number): Promise<boolean | undefined> => {
    ground.world.now += ms;
    const process = new Process(ground.world, client, 'model', LEASE, 'later');
    const taken = watch(process.space.rateLimiter('r', SLOW).tryAcquire(n));
    await ground.arrive();
    const gone = watch(process.space.close().then(() => true));
    await ground.arrive();
    return gone.value === true ? taken.value : undefined;
  };
  if ((await open(10, 1)) !== false) return 'a session that came later had a full bucket';
  return (await open(1500, 14)) === true ? '' : 'the permits of the time without sessions did not come';
}

export const DIRECTED_RATES: readonly Directed[] = [
  { name: 'a booking at once', run: bookingAtOnce },
  { name: 'a booking whose reply is lost', run: lostBooking },
  { name: 'a booking that returns to a waiter', run: bookingReturns },
  { name: 'the head of a rate', run: head },
  { name: 'a rate whose head is not told its time', run: lostTime },
  { name: 'a head whose permits come after its timeout', run: tooLate },
  { name: 'a rate without sessions', run: unused },
];
