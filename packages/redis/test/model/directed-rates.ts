// Schedules of rate limiters that state when something must have happened.

import type { RemoteRateLimiter } from '../../../remote/src/primitives/rate-limiter.ts';
import type { RemoteReservation } from '../../../remote/src/primitives/reservation.ts';
import { Ground, watch, type Directed } from './ground.ts';
import { Process, settle, type Client } from './world.ts';

const LEASE = 1000;
/** One permit per 100 ms. */
const RATE = { permits: 10, interval: 1000, burst: 4 } as const;
/** It takes 2 s to fill, longer than a lease. */
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
  // So the time of the booking is still ahead.
  const limiter = ground.first.space.rateLimiter('r', SLOW);
  await ground.take(limiter, 20);
  const booking = watch(limiter.reserveAsync(20));
  await settle();
  ground.first.runNext();
  ground.first.breakCommands(false);
  await ground.pass(LEASE / 2, () => booking.value !== undefined);
  if (booking.value === undefined) return 'the booking was not made';
  const { charged } = ground.world.server;
  if (charged !== 40) return `${charged} permits are charged`;
  const returned = watch(booking.value.cancel());
  await ground.arrive();
  return returned.value === true && ground.world.server.charged === 20
    ? ''
    : `cancel() returned ${returned.value}, and ${ground.world.server.charged} permits are charged`;
}

async function bookingReturns(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  await ground.take(rateOf(ground.first), 1);
  const booking = watch(rateOf(ground.first).reserveAsync(4));
  await ground.arrive();
  const waiter = watch(rateOf(ground.second).tryAcquire(3, LEASE));
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
  // Time advances from one timer to the next, and the next heartbeat is 333 ms away.
  const began = ground.world.now;
  await ground.pass(LEASE, () => waits[0]?.value !== undefined);
  if (waits[0]?.value !== true || ground.world.now - began > 120)
    return 'the first was not granted when its permit was available';
  await ground.pass(LEASE, () => waits[1]?.value !== undefined);
  return waits[1]?.value === true && ground.world.now - began < 220
    ? ''
    : 'the second was not granted when its permit was available';
}

async function lostTime(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  await ground.take(rateOf(ground.first), 4);
  const waits = [watch(rateOf(ground.first).tryAcquire(1, LEASE)), watch(rateOf(ground.second).tryAcquire(1, LEASE))];
  await ground.arrive();
  // The second is told its time when it becomes the head, but the message is lost.
  for (const channel of ground.second.channels) channel.up = false;
  await ground.pass(LEASE * 0.75);
  return waits.every(({ value }) => value === true) ? '' : 'no heartbeat has checked';
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
  return next.value === true && ground.world.now - began < 120 ? '' : 'the next waiter was blocked';
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
  if ((await open(10, 1)) !== false) return 'a later session had a full bucket';
  return (await open(1500, 14)) === true ? '' : 'the permits of the time without sessions did not come';
}

/** Returns the remaining alarms that ring later than any alarm of a session. */
function lateAlarms(ground: Ground): number {
  return [...ground.world.alarms].filter(({ at }) => at > ground.world.now + 2 * LEASE).length;
}

async function returnedBooking(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  const limiter = ground.first.space.rateLimiter('r', SLOW);
  await ground.take(limiter, 20);
  const booking = watch<RemoteReservation>(limiter.reserveAsync(20));
  await ground.arrive();
  if (lateAlarms(ground) !== 1) return `${lateAlarms(ground)} timers for one booking`;
  const returned = watch<boolean>(booking.value?.cancel() ?? Promise.resolve(false));
  await ground.arrive();
  return returned.value === true && lateAlarms(ground) === 0
    ? ''
    : `${returned.value}, and ${lateAlarms(ground)} timers are left`;
}

async function lostLease(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  // So the time of the booking is still ahead.
  await ground.take(rateOf(ground.first), 4);
  const booking = watch<RemoteReservation>(rateOf(ground.first).reserveAsync(4));
  await ground.arrive();
  const returned = watch<boolean>(booking.value?.cancel() ?? Promise.resolve(true));
  const end = ground.world.now + 2 * LEASE;
  // No message arrives, so the lease ends during the call.
  while (ground.world.now < end && ground.world.tick()) await settle();
  return returned.value === false ? '' : `it ended with ${String(returned.value ?? returned.failure)}`;
}

/** Five bookings of a year each arrive while a caller waits. The server counts up to four and a half years. */
async function farBookings(script: string, client: Client, isSilent: boolean): Promise<string> {
  const ground = await Ground.make(script, client);
  const rate = { permits: 1, interval: 366 * 24 * 60 * 60 * 1000 };
  const limiters = [ground.first.space.rateLimiter('r', rate), ground.second.space.rateLimiter('r', rate)] as const;
  await ground.take(limiters[0], 1);
  const controller = new AbortController();
  watch(limiters[0].acquireAsync(1, { signal: controller.signal }));
  await ground.arrive();
  const bookings = Array.from({ length: 5 }, () => watch(limiters[1].reserveAsync()));
  await ground.arrive();
  if (bookings.some(({ failure }) => failure !== undefined)) return 'a booking was refused on arrival';
  if (isSilent) for (const channel of ground.second.channels) channel.up = false;
  controller.abort();
  await ground.arrive();
  await ground.pass(isSilent ? LEASE : 0);
  const ends = bookings.map(({ value, failure }) =>
    value !== undefined ? 'booked' : failure instanceof RangeError ? 'far' : String(failure),
  );
  const waiters = ground.world.server.dump.filter((entry) => / line [^0]/.test(entry));
  return ends.join() === 'booked,booked,booked,far,far' && waiters.length === 0
    ? ''
    : `${ends.join()}, and ${waiters.join()}`;
}

export const DIRECTED_RATES: readonly Directed[] = [
  { name: 'a booking at once', run: bookingAtOnce },
  { name: 'a booking whose reply is lost', run: lostBooking },
  { name: 'a booking that returns to a waiter', run: bookingReturns },
  { name: 'the head of a rate', run: head },
  { name: 'a rate whose head is not told its time', run: lostTime },
  { name: 'a head whose permits come after its timeout', run: tooLate },
  { name: 'a rate without sessions', run: unused },
  { name: 'a booking that returns needs no timer', run: returnedBooking },
  { name: 'a booking that returns while the lease ends', run: lostLease },
  {
    name: 'bookings in line that have become too far ahead',
    run: (script, client) => farBookings(script, client, false),
  },
  {
    name: 'bookings in line that have become too far ahead, and do not hear it',
    run: (script, client) => farBookings(script, client, true),
  },
];
