// Publishes the waits, the holds and the recoveries of this thread on channels of node:diagnostics_channel.

import { UnsupportedError, type ReclaimReport } from '@sluice/core';
import { dispose } from '@sluice/core/calls';
import type { AgentContext } from '@sluice/core/internal';
import { arenaId, type WaitEnding } from '@sluice/core/report';
import { startTool, stopTool } from './observer.ts';
import { OpenHolds } from './open-holds.ts';
import type { UsedPrimitive, RwLockSide } from './used-primitive.ts';
import { IdleTool, type ObservedReclaim, type ObservedWait } from './tool.ts';

/** The fields that messages of waits and messages of holds share. */
export interface PrimitiveMessage {
  /** How reports name the primitive, such as "lock 'accounts'". */
  readonly primitive: string;
  /** 'lock', 'semaphore', 'buffer', … */
  readonly kind: string;
  /** The name given to `create`; '' if none was given. */
  readonly name: string;
  /** For a read-write lock. */
  readonly side?: Exclude<RwLockSide, ''>;
  /** The id of the arena. */
  readonly arena: string;
  /** The address of the primitive, or 0 for a wait at an address of the program. */
  readonly address: number;
  /** The agent of this thread in the arena. */
  readonly agent: number;
  /** The same in the messages of the beginning and of the end. Unique in the thread. */
  readonly id: number;
}

/** A message of the channel `sluice:wait`. */
export type WaitMessage = PrimitiveMessage & { readonly how: 'blocking' | 'async' } & (
    | { readonly event: 'start' }
    | { readonly event: 'end'; readonly durationMs: number; readonly outcome: WaitEnding }
  );

/** A message of the channel `sluice:hold`. */
export type HoldMessage = PrimitiveMessage & { readonly permits: number } & (
    | { readonly event: 'start' }
    | { readonly event: 'end'; readonly durationMs: number }
  );

/** A message of the channel `sluice:reclaim`. */
export type ReclaimMessage = {
  readonly id: number;
  readonly arena: string;
  /** The dead agent, and how reports name it. */
  readonly agent: number;
  readonly title: string;
} & (
  | { readonly event: 'start' }
  | {
      readonly event: 'end';
      readonly durationMs: number;
      /** What the agent left. Absent if the recovery failed. */
      readonly report?: ReclaimReport;
    }
);

/** The names of the channels. */
export const CHANNELS = { wait: 'sluice:wait', hold: 'sluice:hold', reclaim: 'sluice:reclaim' } as const;

/** A channel, as far as it is used. */
interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

interface ChannelsModule {
  channel(name: string): Channel;
}

/** Channels that are switched on. */
export interface Channels {
  /** Ends the publishing in this thread. A second call does nothing. */
  stop(): void;
  [dispose](): void;
}

/**
 * Publishes the waits, holds and recoveries of this thread on channels of `node:diagnostics_channel`: `sluice:wait`,
 * `sluice:hold` and `sluice:reclaim`. Each has a message when it begins and one with its duration when it ends.
 *
 * - `sluice:wait`: each contended wait at a primitive, blocking and async. A call that finds its lock free has none.
 * - `sluice:hold`: each hold of a lock or of permits. Only locks and semaphores that this thread creates or opens after
 *   the call are followed, so call it before them.
 * - `sluice:reclaim`: each recovery of a dead agent by this thread.
 *
 * Without a subscriber nothing is published. Subscribers run in the middle of a call of the program: they must not use
 * the primitive, and should be short. The message of a blocking wait's beginning is published before the thread sleeps.
 *
 * Each thread publishes its own waits and holds. After a second call in the same thread each message is published
 * twice, until the result of one of the calls is stopped.
 *
 * ```ts run
 * import { subscribe } from 'node:diagnostics_channel';
 * import { Semaphore } from '@sluice/core';
 * import { startChannels } from '@sluice/inspect';
 *
 * const channels = startChannels();
 * subscribe('sluice:wait', ({ event, name, outcome }) => console.log(event, name, outcome ?? ''));
 * const jobs = Semaphore.create(0, { name: 'jobs' });
 * jobs.tryAcquire(1, 5);
 * // start jobs
 * // end jobs timed-out
 * channels.stop();
 * ```
 *
 * @throws {UnsupportedError} If the platform has no `node:diagnostics_channel`, as in a page.
 */
export function startChannels(): Channels {
  const publisher = new Publisher(diagnosticsChannel());
  startTool(publisher);
  const stop = (): void => stopTool(publisher);
  return { stop, [dispose]: stop };
}

/** It uses `getBuiltinModule`, because an import of a Node module would not load in a page. */
function diagnosticsChannel(): ChannelsModule {
  const { process } = globalThis as { readonly process?: { getBuiltinModule?(id: string): unknown } };
  const module = process?.getBuiltinModule?.('node:diagnostics_channel') as ChannelsModule | undefined;
  if (module === undefined)
    throw new UnsupportedError(
      'startChannels needs node:diagnostics_channel, which this platform does not have. Nothing was changed.',
    );
  return module;
}

interface HeldSince {
  readonly id: number;
  readonly permits: number;
  /** ms on the clock of `parking.now`. */
  readonly began: number;
}

class Publisher extends IdleTool {
  readonly #wait: Channel;
  readonly #hold: Channel;
  readonly #reclaim: Channel;
  readonly #held = new OpenHolds<HeldSince>();
  #holds = 0;

  constructor(module: ChannelsModule) {
    super();
    this.#wait = module.channel(CHANNELS.wait);
    this.#hold = module.channel(CHANNELS.hold);
    this.#reclaim = module.channel(CHANNELS.reclaim);
  }

  override waitBegins({ primitive, how, id }: ObservedWait): void {
    if (!this.#wait.hasSubscribers) return;
    this.#wait.publish({ event: 'start', ...about(primitive, id), how } satisfies WaitMessage);
  }

  override waitEnds({ primitive, how, id, began }: ObservedWait, outcome: WaitEnding): void {
    if (!this.#wait.hasSubscribers) return;
    const durationMs = since(primitive.context, began);
    this.#wait.publish({ event: 'end', ...about(primitive, id), how, durationMs, outcome } satisfies WaitMessage);
  }

  override holdBegins(primitive: UsedPrimitive, permits: number, slot: string): void {
    if (!this.#hold.hasSubscribers) return;
    this.#holds += 1;
    const id = this.#holds;
    this.#held.begin(primitive, slot, { id, permits, began: primitive.context.parking.now() });
    this.#hold.publish({ event: 'start', ...about(primitive, id), permits } satisfies HoldMessage);
  }

  override holdEnds(primitive: UsedPrimitive, _permits: number, slot: string): void {
    for (let held = this.#held.end(primitive, slot); held !== undefined; held = this.#held.end(primitive, slot)) {
      const { id, permits, began } = held;
      const durationMs = since(primitive.context, began);
      this.#hold.publish({ event: 'end', ...about(primitive, id), permits, durationMs } satisfies HoldMessage);
    }
  }

  override reclaimBegins(reclaim: ObservedReclaim): void {
    if (!this.#reclaim.hasSubscribers) return;
    this.#reclaim.publish({ event: 'start', ...aboutReclaim(reclaim) } satisfies ReclaimMessage);
  }

  override reclaimEnds(reclaim: ObservedReclaim, report: object | undefined): void {
    if (!this.#reclaim.hasSubscribers) return;
    this.#reclaim.publish({
      event: 'end',
      ...aboutReclaim(reclaim),
      durationMs: since(reclaim.context, reclaim.began),
      ...(report !== undefined && { report: report as ReclaimReport }),
    } satisfies ReclaimMessage);
  }
}

function since({ parking }: AgentContext, began: number): number {
  return Math.max(0, parking.now() - began);
}

function about(primitive: UsedPrimitive, id: number): PrimitiveMessage {
  const { kind, name, side, arena, address, context } = primitive;
  return {
    primitive: primitive.toString(),
    kind,
    name,
    ...(side !== '' && { side }),
    arena,
    address,
    agent: context.id,
    id,
  };
}

function aboutReclaim({ id, agent, title, context }: ObservedReclaim): Omit<ReclaimMessage, 'event'> {
  return { id, arena: arenaId(context.words), agent, title };
}
