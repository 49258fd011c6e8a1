// Scenarios in which an agent searches for the holders of a primitive while other agents open primitives, close them,
// and join. The search finds exactly the permits that agents held before it began.

import type { Context, Options, Words } from '@sluice/model';
import type { EntryAddress } from '../../src/kernel/addresses.ts';
import { ENTRY_HELD, LEDGER_STRIDE, OWNER } from '../../src/kernel/layout.ts';
import { TAKEN } from '../../src/kernel/states.ts';
import type * as Entry from './entry.ts';
import { crashingWords, parkingOf, stepping } from './model-context.ts';
import { agentAt, ledgerAt, semaphoreAddress, tagOf, TREASURE } from './places.ts';
import type { Case, Model } from './case.ts';
import { World, type Core } from './world.ts';
import { ENTRIES_MUTANTS } from './entries-mutants.ts';

/** Plain writes are scheduling points, too, because the order of the writes to an entry matters. */
const ALL: Options = { scheduleLocal: true };
const TWO_PREEMPTIONS: Options = { preemptions: 2, scheduleLocal: true };
/** The tag of a primitive that replaces the first one. */
const NEW_TAG = 30;
/** The progress of the scenario: the number of steps that an agent has done and another may rely on. */
const DONE = TREASURE;

interface Party {
  readonly ctx: Context;
  readonly core: Core;
  readonly context: Entry.AgentContext;
}
type Step = (party: Party) => void;

class EntriesWorld extends World {
  readonly #joins: boolean;

  /** `joins`: agent 0 has no record at the start. */
  constructor(core: Core, agents: number, joins: boolean) {
    super(core, { permits: [1, 1], agents });
    this.#joins = joins;
  }

  /** No agent has opened anything. */
  override layOut(words: Words): void {
    super.layOut(words);
    for (let agent = 0; agent < this.setup.agents; agent++) {
      for (let at = 0; at < LEDGER_STRIDE; at += 4) words.put32(ledgerAt(agent) + at, 0);
    }
    if (this.#joins) words.put32(agentAt(0) + OWNER, 0);
  }

  party(ctx: Context): Party {
    const { core } = this;
    const words = crashingWords(ctx, ctx.words);
    const kernel = stepping(core.referenceKernel(ctx.words), ctx);
    return {
      ctx,
      core,
      context: new core.AgentContext({
        words,
        kernel,
        parking: parkingOf(ctx),
        heap: undefined as never,
        agent: agentAt(ctx.index),
        id: ctx.index + 1,
      }),
    };
  }
}

/** Opens a primitive, and returns the agent's entry of it. */
function open({ context }: Party, semaphore: number, tag = tagOf(semaphore)): EntryAddress {
  return context.lineState(semaphoreAddress(semaphore), tag, { recorded: true }).entry;
}

/** Opens a primitive and takes its permit. */
const hold =
  (semaphore: number, tag?: number): Step =>
  (party) =>
    party.context.words.put64(open(party, semaphore, tag) + ENTRY_HELD, 1n);

/** Opens a primitive without taking a permit. */
const look =
  (semaphore: number): Step =>
  (party) =>
    void open(party, semaphore);

const join: Step = ({ context: { kernel, id }, ctx }) =>
  ctx.assert(kernel.claimRecord(agentAt(0), id, 0) === TAKEN, 'the record is not free');

/** From this step on, a search must find the agent's earlier steps. */
const tell: Step = ({ ctx }) => {
  ctx.step('tell');
  ctx.words.add32(DONE, 1);
};

const until =
  (steps: number): Step =>
  ({ ctx }) =>
    ctx.until(() => ctx.words.load32(DONE) >= steps);

/**
 * Searches for holders. `count` is their number after the other agents have done `after` steps, and the maximum at any
 * time.
 */
const search =
  (semaphore: number, after: number, count = 1, tag = tagOf(semaphore)): Step =>
  ({ ctx, core, context }) => {
    const isSure = ctx.words.load32(DONE) >= after;
    const found = core.heldEntries(context, { address: semaphoreAddress(semaphore), tag }).length;
    ctx.assert(!isSure || found >= count, 'a permit that an agent holds was not found');
    ctx.assert(found <= count, 'a permit was found that no agent holds');
  };

export function entriesCases(core: Core): Case[] {
  const make = (name: string, parties: readonly (readonly Step[])[], options: Options, joins = false): Case => {
    const world = new EntriesWorld(core, parties.length, joins);
    const scenario = world.scenario(name, [], undefined, {
      agents: parties.map((steps, index) => ({
        name: `agent ${index}`,
        body: (ctx) => {
          const party = world.party(ctx);
          for (const step of steps) step(party);
        },
      })),
      final: () => undefined,
      invariant: () => undefined,
    });
    return { scenario, options };
  };
  return [
    make(
      'an agent opens a primitive while another agent searches for its holders',
      [
        [hold(0), tell],
        [search(0, 1), search(0, 1)],
      ],
      ALL,
    ),
    make(
      'an agent opens two primitives while another agent searches for the holders of both',
      [
        [hold(0), hold(1), tell],
        [search(0, 1), search(1, 1), search(1, 1)],
      ],
      TWO_PREEMPTIONS,
    ),
    make(
      'two agents open a primitive while another agent searches for its holders',
      [
        [hold(0), tell],
        [hold(0), tell],
        [search(0, 2, 2), search(0, 2, 2)],
      ],
      TWO_PREEMPTIONS,
    ),
    make(
      'an agent opens a primitive after a search',
      [
        [until(1), hold(0), tell],
        [search(0, 2), tell, search(0, 2), until(2), search(0, 2)],
      ],
      ALL,
    ),
    make(
      'an agent joins and opens a primitive after a search',
      [
        [until(1), join, hold(0), tell],
        [search(0, 2), tell, until(2), search(0, 2)],
      ],
      ALL,
      true,
    ),
    make(
      'an agent opens another primitive between two searches',
      [
        [hold(0), tell, until(2), hold(1), tell],
        [until(1), search(0, 1), tell, until(3), search(1, 3), search(0, 1)],
      ],
      ALL,
    ),
    make(
      'an agent that holds a permit itself searches for holders',
      [
        [hold(0), tell],
        [hold(0), until(1), search(0, 1, 2), search(0, 1, 2)],
      ],
      TWO_PREEMPTIONS,
    ),
    make(
      'an entry is reused for another primitive',
      [
        [look(0), tell, until(2), hold(0, NEW_TAG), tell],
        [until(1), search(0, 4), tell, until(3), search(0, 4), search(0, 3, 1, NEW_TAG)],
      ],
      ALL,
    ),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'entries', entry: new URL('entry.ts', import.meta.url), cases: entriesCases, mutants: ENTRIES_MUTANTS },
];
