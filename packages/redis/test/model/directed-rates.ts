// Schedules of rate limiters that state when something must have happened.

import type { RemoteRateLimiter } from '../../../remote/src/primitives/rate-limiter.ts';
import type { RemoteReservation } from '../../../remote/src/primitives/reservation.ts';
import { TwoProcesses, watch, type Directed } from './two-processes.ts';
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
  const scene = await TwoProcesses.make(script, client);
  const first = watch(rateOf(scene.first).reserveAsync(4));
  await scene.arrive();
  const second = watch<RemoteReservation>(rateOf(scene.second).reserveAsync(2));
  await scene.arrive();
  if (first.value?.delay !== 0) return `the first booking has the delay ${first.value?.delay}`;
  return Math.round(second.value?.delay ?? 0) === 200 ? '' : `the second booking has the delay ${second.value?.delay}`;
}

async function lostBooking(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  // So the time of the booking is still ahead.
  const limiter = scene.first.space.rateLimiter('r', SLOW);
  await scene.take(limiter, 20);
  const booking = watch(limiter.reserveAsync(20));
  await settle();
  scene.first.runNext();
  scene.first.breakCommands(false);
  await scene.pass(LEASE / 2, () => booking.value !== undefined);
  if (booking.value === undefined) return 'the booking was not made';
  const { charged } = scene.world.server;
  if (charged !== 40) return `${charged} permits are charged`;
  const returned = watch(booking.value.cancel());
  await scene.arrive();
  return returned.value === true && scene.world.server.charged === 20
    ? ''
    : `cancel() returned ${returned.value}, and ${scene.world.server.charged} permits are charged`;
}

async function bookingReturns(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  await scene.take(rateOf(scene.first), 1);
  const booking = watch(rateOf(scene.first).reserveAsync(4));
  await scene.arrive();
  const waiter = watch(rateOf(scene.second).tryAcquire(3, LEASE));
  await scene.arrive();
  void booking.value?.cancel();
  await scene.arrive();
  return waiter.value === true ? '' : 'the waiter was not granted';
}

async function head(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  await scene.take(rateOf(scene.first), 4);
  const waits = [watch(rateOf(scene.first).tryAcquire(1, LEASE)), watch(rateOf(scene.second).tryAcquire(1, LEASE))];
  await scene.arrive();
  // Time advances from one timer to the next, and the next heartbeat is 333 ms away.
  const began = scene.world.now;
  await scene.pass(LEASE, () => waits[0]?.value !== undefined);
  if (waits[0]?.value !== true || scene.world.now - began > 120)
    return 'the first was not granted when its permit was available';
  await scene.pass(LEASE, () => waits[1]?.value !== undefined);
  return waits[1]?.value === true && scene.world.now - began < 220
    ? ''
    : 'the second was not granted when its permit was available';
}

async function lostTime(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  await scene.take(rateOf(scene.first), 4);
  const waits = [watch(rateOf(scene.first).tryAcquire(1, LEASE)), watch(rateOf(scene.second).tryAcquire(1, LEASE))];
  await scene.arrive();
  // The second is told its time when it becomes the head, but the message is lost.
  for (const channel of scene.second.channels) channel.up = false;
  await scene.pass(LEASE * 0.75);
  return waits.every(({ value }) => value === true) ? '' : 'no heartbeat has checked';
}

async function tooLate(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  await scene.take(rateOf(scene.first), 4);
  const late = watch(rateOf(scene.first).tryAcquire(4, 300));
  await scene.arrive();
  const next = watch(rateOf(scene.second).tryAcquire(1, LEASE));
  await scene.arrive();
  if (late.value !== false) return 'the head waits for permits that come after its timeout';
  const began = scene.world.now;
  await scene.pass(LEASE, () => next.value !== undefined);
  return next.value === true && scene.world.now - began < 120 ? '' : 'the next waiter was blocked';
}

async function unused(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  await scene.take(scene.first.space.rateLimiter('r', SLOW), 20);
  const closed = watch(Promise.all([scene.first.space.close(), scene.second.space.close()]));
  await scene.arrive();
  if (closed.value === undefined) return 'the sessions did not close';
  const open = async (ms: number, n: number): Promise<boolean | undefined> => {
    scene.world.now += ms;
    const process = new Process(scene.world, client, 'model', LEASE, 'later');
    const taken = watch(process.space.rateLimiter('r', SLOW).tryAcquire(n));
    await scene.arrive();
    const gone = watch(process.space.close().then(() => true));
    await scene.arrive();
    return gone.value === true ? taken.value : undefined;
  };
  if ((await open(10, 1)) !== false) return 'a later session had a full bucket';
  return (await open(1500, 14)) === true ? '' : 'the permits of the time without sessions did not come';
}

/** Returns the remaining alarms that ring later than any alarm of a session. */
function lateAlarms(scene: TwoProcesses): number {
  return [...scene.world.alarms].filter(({ at }) => at > scene.world.now + 2 * LEASE).length;
}

async function returnedBooking(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  const limiter = scene.first.space.rateLimiter('r', SLOW);
  await scene.take(limiter, 20);
  const booking = watch<RemoteReservation>(limiter.reserveAsync(20));
  await scene.arrive();
  if (lateAlarms(scene) !== 1) return `${lateAlarms(scene)} timers for one booking`;
  const returned = watch<boolean>(booking.value?.cancel() ?? Promise.resolve(false));
  await scene.arrive();
  return returned.value === true && lateAlarms(scene) === 0
    ? ''
    : `${returned.value}, and ${lateAlarms(scene)} timers are left`;
}

async function lostLease(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  // So the time of the booking is still ahead.
  await scene.take(rateOf(scene.first), 4);
  const booking = watch<RemoteReservation>(rateOf(scene.first).reserveAsync(4));
  await scene.arrive();
  const returned = watch<boolean>(booking.value?.cancel() ?? Promise.resolve(true));
  const end = scene.world.now + 2 * LEASE;
  // No message arrives, so the lease ends during the call.
  while (scene.world.now < end && scene.world.tick()) await settle();
  return returned.value === false ? '' : `it ended with ${String(returned.value ?? returned.failure)}`;
}

/** Five bookings of a year each arrive while a caller waits. The server counts up to four and a half years. */
async function farBookings(script: string, client: Client, isSilent: boolean): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  const rate = { permits: 1, interval: 366 * 24 * 60 * 60 * 1000 };
  const limiters = [scene.first.space.rateLimiter('r', rate), scene.second.space.rateLimiter('r', rate)] as const;
  await scene.take(limiters[0], 1);
  const controller = new AbortController();
  watch(limiters[0].acquireAsync(1, { signal: controller.signal }));
  await scene.arrive();
  const bookings = Array.from({ length: 5 }, () => watch(limiters[1].reserveAsync()));
  await scene.arrive();
  if (bookings.some(({ failure }) => failure !== undefined)) return 'a booking was refused on arrival';
  if (isSilent) for (const channel of scene.second.channels) channel.up = false;
  controller.abort();
  await scene.arrive();
  await scene.pass(isSilent ? LEASE : 0);
  const ends = bookings.map(({ value, failure }) =>
    value !== undefined ? 'booked' : failure instanceof RangeError ? 'far' : String(failure),
  );
  const waiters = scene.world.server.dump.filter((entry) => / line [^0]/.test(entry));
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
