// Schedules of latches and barriers that state when something must have happened, which random schedules cannot.

import { TwoProcesses, LEASE, type Directed } from './two-processes.ts';
import { settle, type Client, type Process } from './world.ts';
import type { RemoteBarrier, RemoteBarrierOptions } from '../../../remote/src/primitives/barrier.ts';

/** A promise whose state is read while it is pending. */
interface Watched {
  /** The value with which the promise resolved, or the code or message with which it rejected. */
  end: string | undefined;
}

function watch(promise: Promise<unknown>): Watched {
  const watched: Watched = { end: undefined };
  promise.then(
    (value) => (watched.end = value === undefined ? 'resolved' : JSON.stringify(value)),
    (failure: unknown) => (watched.end = (failure as { code?: string }).code ?? (failure as Error).message),
  );
  return watched;
}

/** Returns the present state. The compiler does not see that it changes. */
function endOf(watched: Watched): string | undefined {
  return watched.end;
}

const LEADS = '{"leader":true}';
const FOLLOWS = '{"leader":false}';
const BROKEN = 'SLUICE_BROKEN_BARRIER';

class RoundsGround extends TwoProcesses {
  barrier(process: Process, options: RemoteBarrierOptions = {}): RemoteBarrier {
    return process.space.barrier('b', 2, options);
  }

  /** Lets the call of a promise arrive at the server. */
  async begin(promise: Promise<unknown>): Promise<Watched> {
    const watched = watch(promise);
    await this.arrive();
    return watched;
  }

  /** Returns the outcome of a call after everything has arrived. */
  async ask<T>(promise: Promise<T>): Promise<T> {
    await this.arrive();
    return promise;
  }

  /** Breaks both connections of a process and restores them. */
  async reconnect(process: Process): Promise<void> {
    process.breakChannels();
    process.breakChannels();
    await this.arrive();
  }

  /** Lets time pass until then, while nothing arrives. */
  async tickUntil(isOver: () => boolean): Promise<void> {
    while (!isOver() && this.world.tick()) await settle();
  }

  /** Lets time pass, while no call of the first process arrives, until its session knows that its lease has ended. */
  async loseLease(wait: Watched): Promise<void> {
    const end = this.world.now + 2 * LEASE;
    while (endOf(wait) === undefined && this.world.now < end && this.world.tick()) {
      await settle();
      // A session whose call was interrupted asks at once.
      while (this.first.calls.length > 0) {
        this.first.breakCommands(false);
        await settle();
      }
      await this.arrive();
    }
  }
}

async function trip(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  const first = await scene.begin(scene.barrier(scene.first).waitAsync());
  if (endOf(first) !== undefined) return `the first party did not wait: ${endOf(first)}`;
  const last = await scene.begin(scene.barrier(scene.second).waitAsync());
  return endOf(first) === LEADS && endOf(last) === FOLLOWS
    ? ''
    : `without a pause they ended with ${endOf(first)} and ${endOf(last)}`;
}

async function silentChannel(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  const first = await scene.begin(scene.barrier(scene.first).waitAsync());
  for (const channel of scene.first.channels) channel.up = false;
  await scene.begin(scene.barrier(scene.second).waitAsync());
  await scene.pass(LEASE / 3 + 1, () => endOf(first) !== undefined);
  if (endOf(first) !== LEADS) return `with its heartbeat the party learned ${endOf(first)}`;
  await scene.pass(LEASE / 2);
  const again = await scene.begin(scene.barrier(scene.first).waitAsync());
  await scene.begin(scene.barrier(scene.second).waitAsync());
  return endOf(again) === LEADS ? '' : 'the session did not subscribe again';
}

async function givesUp(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  const first = await scene.begin(scene.barrier(scene.first).waitAsync({ timeout: 100 }));
  await scene.pass(200);
  const { broken, waiters } = await scene.ask(scene.barrier(scene.second).inspect());
  return endOf(first) === 'SLUICE_TIMEOUT' && broken === 'gave-up' && waiters.length === 0
    ? ''
    : `ended with ${endOf(first)}, the barrier is ${broken}`;
}

async function givesUpLate(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  const first = await scene.begin(scene.barrier(scene.first).waitAsync({ timeout: 100 }));
  for (const channel of scene.first.channels) channel.up = false;
  const last = await scene.begin(scene.barrier(scene.second).waitAsync());
  await scene.pass(200);
  const broken = await scene.ask(scene.barrier(scene.second).broken);
  return endOf(first) === LEADS && endOf(last) === FOLLOWS && !broken
    ? ''
    : `one generation ended with ${endOf(first)} and ${endOf(last)}, and is ${broken ? 'broken' : 'whole'}`;
}

async function lostLeave(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  const first = await scene.begin(scene.barrier(scene.first).waitAsync({ timeout: 100 }));
  for (const channel of scene.first.channels) channel.up = false;
  const last = await scene.begin(scene.barrier(scene.second).waitAsync());
  await scene.tickUntil(() => scene.first.calls.length > 0);
  scene.first.runNext();
  scene.first.breakCommands(false);
  await scene.pass(LEASE / 3);
  const broken = await scene.ask(scene.barrier(scene.second).broken);
  return endOf(first) === LEADS && endOf(last) === FOLLOWS && !broken
    ? ''
    : `one generation ended with ${endOf(first)} and ${endOf(last)}, and is ${broken ? 'broken' : 'whole'}`;
}

async function actsLate(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  let runs = 0;
  const first = await scene.begin(scene.barrier(scene.first).waitAsync());
  const last = watch(scene.barrier(scene.second, { action: () => (runs += 1) }).waitAsync({ timeout: 100 }));
  await settle();
  // The server lets the party run its action. The reply is lost, and the message arrives after the party has asked to
  // leave.
  scene.second.runNext();
  const due = scene.world.now + 100;
  await scene.tickUntil(() => scene.world.now > due);
  scene.second.breakCommands(false);
  await settle();
  if (!scene.second.calls.some(({ args }) => args[0] === 'cancel')) return 'the party has not asked to leave';
  for (const { queue, onMessage } of scene.second.channels) for (const message of queue.splice(0)) onMessage(message);
  await scene.pass(LEASE / 3);
  const broken = await scene.ask(
    scene
      .barrier(scene.first)
      .inspect()
      .then((report) => report.broken),
  );
  return endOf(first) === BROKEN && endOf(last) === 'SLUICE_TIMEOUT' && broken === 'gave-up' && runs === 0
    ? ''
    : `${endOf(first)}, ${endOf(last)}, ${broken}, and ${runs} actions ran`;
}

async function arrivesAgain(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  const first = await scene.begin(scene.barrier(scene.first).waitAsync());
  await scene.loseLease(first);
  if (endOf(first) !== 'SLUICE_LEASE_LOST') return `the party was not told: ${endOf(first)}`;
  // For the server the old lease has not ended.
  const again = await scene.begin(scene.barrier(scene.first).waitAsync());
  return endOf(again) === BROKEN ? '' : `one party alone ended with ${endOf(again)}`;
}

async function lateArrival(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  const first = watch(scene.barrier(scene.first).waitAsync());
  await settle();
  scene.first.breakCommands(true);
  await scene.loseLease(first);
  await scene.begin(scene.barrier(scene.first).inspect());
  for (const { base, args } of scene.world.ghosts) scene.world.run(base, args);
  const { waiters } = await scene.ask(scene.barrier(scene.second).inspect());
  return waiters.length === 0 ? '' : 'a session that its process has given up arrived';
}

/** The first party waits, then the generation trips, and a replica takes over that has no record of it. */
async function loseTrip(scene: RoundsGround): Promise<void> {
  await scene.begin(scene.barrier(scene.first).waitAsync());
  scene.world.server.copy();
  await scene.begin(scene.barrier(scene.second).waitAsync());
  scene.world.server.promote();
}

async function lostTrip(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  await loseTrip(scene);
  const next = await scene.begin(scene.barrier(scene.second).waitAsync());
  return endOf(next) === BROKEN ? '' : `the arrival in the next generation ended with ${endOf(next)}`;
}

async function lostTripAsked(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  await loseTrip(scene);
  await scene.reconnect(scene.second);
  const { broken } = await scene.ask(scene.barrier(scene.second).inspect());
  return broken === 'data-lost' ? '' : `after the break of a connection the barrier is ${broken ?? 'whole'}`;
}

async function lostArrival(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  // Both use the barrier, so that the replica knows of them.
  await scene.begin(scene.barrier(scene.first).mend());
  scene.world.server.copy();
  const first = await scene.begin(scene.barrier(scene.first).waitAsync());
  scene.world.server.promote();
  await scene.reconnect(scene.first);
  await scene.begin(scene.barrier(scene.second).waitAsync());
  return endOf(first) === LEADS ? '' : `the party that the replica did not know ended with ${endOf(first)}`;
}

async function lostReply(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  const wait = watch(scene.first.space.countdownLatch('d').waitAsync());
  await settle();
  scene.first.runNext();
  scene.first.breakCommands(false);
  await scene.begin(scene.second.space.countdownLatch('d').add());
  await scene.pass(LEASE / 3);
  return endOf(wait) === 'resolved' ? '' : 'a wait at count 0 waits for a later round';
}

async function action(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  const gate = { open: (): void => undefined };
  const options = { action: () => new Promise<void>((resolve) => (gate.open = resolve)) };
  const first = await scene.begin(scene.barrier(scene.first, options).waitAsync());
  const last = await scene.begin(scene.barrier(scene.second, options).waitAsync());
  // A session asks for the grants that the server has under its name, and returns those that it does not know.
  await scene.reconnect(scene.first);
  await scene.reconnect(scene.second);
  if (endOf(first) !== undefined || endOf(last) !== undefined)
    return `before the action had ended: ${endOf(first)}, ${endOf(last)}`;
  gate.open();
  await scene.arrive();
  return endOf(first) === LEADS && endOf(last) === FOLLOWS ? '' : `after the action: ${endOf(first)}, ${endOf(last)}`;
}

async function arrivesDuringAction(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  const gate = { open: (): void => undefined };
  const options = { action: () => new Promise<void>((resolve) => (gate.open = resolve)) };
  const first = await scene.begin(scene.first.space.barrier('alone', 1, options).waitAsync());
  const early = await scene.begin(scene.second.space.barrier('alone', 1).waitAsync());
  if (endOf(first) !== undefined || endOf(early) !== undefined)
    return `before the action had ended: ${endOf(first)}, ${endOf(early)}`;
  gate.open();
  await scene.arrive();
  return endOf(first) === LEADS && endOf(early) === LEADS
    ? scene.world.server.violation
    : `two generations of one party ended with ${endOf(first)} and ${endOf(early)}`;
}

async function partyLeaves(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  const first = await scene.begin(scene.barrier(scene.first).waitAsync());
  await scene.begin(scene.barrier(scene.second).deregister());
  return endOf(first) === LEADS
    ? scene.world.server.violation
    : `when the other party had left, the wait ended with ${endOf(first)}`;
}

async function failingAction(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  const options = {
    action: () => {
      throw new Error('it fails');
    },
  };
  const first = await scene.begin(scene.barrier(scene.first, options).waitAsync());
  const last = await scene.begin(scene.barrier(scene.second, options).waitAsync());
  const broken = await scene.ask(
    scene
      .barrier(scene.first)
      .inspect()
      .then((report) => report.broken),
  );
  return endOf(first) === BROKEN && endOf(last) === 'it fails' && broken === 'action-threw'
    ? ''
    : `${endOf(first)}, ${endOf(last)}, ${broken}`;
}

/** Returns whether the first process is told that it lost parties or claims when its lease has ended. */
async function isTold(scene: RoundsGround): Promise<string | undefined> {
  await scene.loseLease(await scene.begin(scene.barrier(scene.first).waitAsync()));
  return endOf(await scene.begin(scene.first.space.countdownLatch('d', 1).add()));
}

async function endedClaim(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  const latch = scene.first.space.countdownLatch('d', 1);
  await scene.begin(latch.claim());
  const wait = await scene.begin(latch.waitAsync());
  await scene.begin(scene.second.space.countdownLatch('d', 1).done());
  if (endOf(wait) !== 'resolved') return `the wait ended with ${endOf(wait)}`;
  const told = await isTold(scene);
  return told === 'resolved' ? '' : `a claim that was void ended with ${told}`;
}

async function excessClaim(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  const latch = scene.first.space.countdownLatch('d', 1);
  await scene.begin(latch.add());
  await scene.begin(latch.claim(2));
  await scene.begin(scene.second.space.countdownLatch('d', 1).done());
  await scene.begin(latch.done());
  const told = await isTold(scene);
  return told === 'resolved' ? '' : `a claim that was void ended with ${told}`;
}

async function metClaim(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  const latch = scene.first.space.countdownLatch('d', 2);
  await scene.begin(latch.claim());
  await scene.begin(latch.done());
  await scene.begin(scene.first.space.close());
  const count = await scene.ask(scene.second.space.countdownLatch('d', 2).count);
  return count === 1 ? '' : `a claim that was met left the count ${count}`;
}

async function heldClaim(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  await scene.begin(scene.first.space.countdownLatch('d', 1).claim());
  const told = await isTold(scene);
  return told === 'SLUICE_LEASE_LOST' ? '' : `a claim that was lost ended with ${told}`;
}

async function unusedLatch(script: string, client: Client): Promise<string> {
  const scene = await RoundsGround.make(script, client);
  await scene.begin(scene.first.space.countdownLatch('d', 2).done());
  await scene.begin(scene.first.space.close());
  return `${await scene.ask(scene.second.space.countdownLatch('d', 2).count)}` === '1' ? '' : 'the count was lost';
}

export const ROUNDS_DIRECTED: readonly Directed[] = [
  { name: 'the last party wakes the others', run: trip },
  { name: 'a channel that is silent at the end of a generation', run: silentChannel },
  { name: 'a party that times out', run: givesUp },
  { name: 'a party that times out after its generation has tripped', run: givesUpLate },
  {
    name: 'a party that times out after its generation has tripped, and does not hear that it is late',
    run: lostLeave,
  },
  { name: 'a party that times out before it hears that it must run its action', run: actsLate },
  { name: 'a party whose lease has ended arrives again', run: arrivesAgain },
  { name: 'an arrival of a session that its process has given up', run: lateArrival },
  { name: 'an arrival after a failover that lost a generation', run: lostTrip },
  { name: 'a break of a connection after a failover that lost a generation', run: lostTripAsked },
  { name: 'a failover that lost an arrival', run: lostArrival },
  { name: 'a wait at count 0 whose reply is lost while the next round begins', run: lostReply },
  { name: 'a claim on a round that others have ended', run: endedClaim },
  { name: 'a claim on more than others have left', run: excessClaim },
  { name: 'a claim that was met', run: metClaim },
  { name: 'a claim whose lease ends', run: heldClaim },
  { name: 'a latch that no session uses for a while', run: unusedLatch },
  { name: 'a connection that breaks during an action', run: action },
  { name: 'an arrival during an action', run: arrivesDuringAction },
  { name: 'a party that leaves', run: partyLeaves },
  { name: 'an action that throws', run: failingAction },
];
