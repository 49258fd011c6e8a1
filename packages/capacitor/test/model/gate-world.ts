// A world with a capacitor, with or without lanes. At the end it must be as at the start, except for the permits that
// the last platoon used.

import type { Context, Words } from '@sluice/model';
import type { AgentContext } from '../../../core/src/agent/agent-context.ts';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import { ENTRY_TAG, FLAG_GATE, FLAG_OWN_CHAIN, GRANT, LIMIT, TICKET } from '../../../core/src/kernel/layout.ts';
import type { Rules } from '../../../core/test/model/witness.ts';
import {
  OfficeWorld,
  putToSleep,
  type Make,
  type Office,
  type OfficeSetup,
  type ShadowUser,
  type Plan,
} from '../../../core/test/model/office-world.ts';
import { agentAt, entryAt, holdsAt, insideAt, semaphoreAddress } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import { ARRIVED, CREDITED, TALLY } from '../../src/kernel/layout.ts';
import type { GateKernel } from '../../src/gates/kinds.ts';
import { BYTES } from './arrivals.ts';
import type * as Entry from './entry.ts';
import { beginAnew, watchSteps, watchTickets, type Watched } from './gate-witness.ts';
import { layOutLanes, LANED, LANES, TAG } from './lanes.ts';
import { keepLineStates } from './line-states.ts';
import { asBlock } from '../../../core/src/kernel/addresses.ts';
import { asElement } from '../../../core/src/kernel/addresses.ts';

export type CapacitorCore = typeof Entry;
export type Gates = Entry.Capacitor | Entry.LanedCapacitor;
export interface GateActor extends ShadowUser {
  readonly gate: Gates;
}
export type GateBody = (actor: GateActor) => unknown;

/** `limit`: B. With `watched` false nothing is recorded, because every word is a scheduling point. */
export interface GateSetup extends OfficeSetup {
  readonly limit: number;
  readonly lanes?: boolean;
  readonly watched?: boolean;
  /** Whether another lock decides which agent overtakes. */
  readonly decides?: boolean;
  /** Whether the agent inside is alone there, because it has a lock. */
  readonly alone?: boolean;
}

const NEVER: Rules = { gains: () => false, loses: () => false, releasesForDeadOwner: () => false };

function officeOf(
  { CAPACITOR, LANED_CAPACITOR }: CapacitorCore,
  { limit, lanes = false, alone = false }: GateSetup,
): Office {
  const tally = (lanes ? LANED : semaphoreAddress(0)) + TALLY;
  return {
    kind: lanes ? LANED_CAPACITOR.code : CAPACITOR.code,
    load: (context) => context.load(lanes ? LANED_CAPACITOR : CAPACITOR).steps,
    flags: lanes ? [FLAG_GATE | FLAG_OWN_CHAIN, FLAG_GATE | FLAG_OWN_CHAIN] : [FLAG_GATE],
    rules: NEVER,
    invariant: (words, agents) => {
      const left = words.get32(tally);
      if (left < 0 || left > limit) return `${left} departures are still to come`;
      const all = [...Array(agents).keys()];
      const sum = (at: (agent: number) => number): number =>
        all.reduce((total, agent) => total + words.get32(at(agent)), 0);
      if (alone && sum(insideAt) > 1) return 'two agents have the lock';
      return sum(holdsAt) > limit ? `${sum(holdsAt)} are inside` : undefined;
    },
  };
}

export class GateWorld<Actor extends ShadowUser = GateActor> extends OfficeWorld<Actor> {
  readonly gate: Required<Omit<GateSetup, 'without'>>;
  readonly #watched: Watched;

  constructor(core: CapacitorCore, setup: GateSetup, make: Make<Actor>) {
    super(core, officeOf(core, setup), setup, make);
    const { limit, lanes = false, watched = true, decides = true, alone = false } = setup;
    const address = lanes ? LANED : semaphoreAddress(0);
    this.gate = { ...this.setup, ...setup, lanes, watched, decides, alone };
    this.#watched = {
      address,
      lines: lanes ? LANES : [address],
      limit,
      agents: this.setup.agents,
      lanes,
      tally: address + TALLY,
      decides,
    };
  }

  override case(plan: Plan<Actor>): Case {
    const { scenario, options } = super.case(plan);
    return { scenario: { ...scenario, bytes: BYTES }, options };
  }

  override shadowUser(ctx: Context): ShadowUser {
    const shadowUser = super.shadowUser(ctx);
    return { ...shadowUser, ref: { ...shadowUser.ref, address: asBlock(this.#watched.address) } };
  }

  override context(ctx: Context): AgentContext {
    beginAnew(ctx);
    return keepLineStates(super.context(ctx), this.gate.lanes ? entryAt(ctx.index, 0) : undefined);
  }

  override layOut(words: Words): void {
    super.layOut(words);
    const { start, agents, limit, lanes } = this.gate;
    const { address } = this.#watched;
    words.put32(address + LIMIT, limit);
    words.put32(address + TALLY, limit);
    if (lanes) layOutLanes(words, limit, agents, start);
    else words.put64(address + GRANT, BigInt.asIntN(64, start + BigInt(limit)));
  }

  override checkRest(words: Words): string | undefined {
    const { limit } = this.gate;
    const { address, lines } = this.#watched;
    const free = lines.map((line) =>
      Number(BigInt.asIntN(64, words.load64(line + GRANT) - words.load64(line + TICKET))),
    );
    const tally = words.load32(address + TALLY);
    if (tally < 1 || tally > limit) return `it ends with ${tally} departures to come`;
    const sum = free.reduce((total, some) => total + some, 0);
    if (sum !== tally || free.some((some) => some < 0))
      return `at the end ${tally} departures are to come, and ${free.join(' + ')} free`;
    const credited = (words.get32(address + CREDITED) - words.get32(address + ARRIVED)) | 0;
    if (this.gate.lanes && credited !== tally) return 'the lanes are not in step';
    for (let agent = 0; agent < this.gate.agents; agent++) {
      const entry = entryAt(agent, 0);
      const held = words.load32(entry + ENTRY_TAG) === 0 ? 0n : words.load64(entry);
      if (held !== 0n) return `agent ${agent} ends ${held} times inside`;
    }
    return this.checkGates(words);
  }

  protected override words(ctx: Context): Words {
    const words = super.words(ctx);
    if (!this.gate.watched) return words;
    const known = views.get(words) ?? watchTickets(words, ctx, this.#watched);
    views.set(words, known);
    return known;
  }

  protected override kernel(ctx: Context): Kernel {
    const kernel = super.kernel(ctx);
    return this.gate.watched ? watchSteps(kernel, ctx, this.#watched) : kernel;
  }
}

const views = new WeakMap<Words, Words>();

export function gateWorld(core: CapacitorCore, setup: GateSetup): GateWorld {
  const make = (shadowUser: ShadowUser): GateActor => {
    const { ref, policy } = shadowUser;
    return {
      ...shadowUser,
      gate: setup.lanes === true ? core.lanedCapacitorAt(ref, policy) : core.capacitorAt(ref, policy),
    };
  };
  return new GateWorld(core, setup, make);
}

/** The first `inside` agents are inside. The next `waiting` agents are enqueued, asleep. */
export const startWith =
  (inside: number, waiting: number, lanes = false) =>
  (words: Words, kernel: Kernel): void => {
    for (let agent = 0; agent < inside + waiting; agent++) {
      const [entry, record] = [entryAt(agent, 0), agentAt(agent)];
      const drawn = lanes
        ? (kernel as GateKernel).arriveInLane(LANED, TAG, entry, record)
        : kernel.acquire(semaphoreAddress(0), TAG, entry, 1, record);
      if (agent < inside) words.put32(holdsAt(agent), 1);
      else putToSleep(words, kernel, agent, asElement(drawn));
    }
  };
