// A world with one box office, its bouncers, and agents that use it. It is free at the start.

import { DIED, type Context, type Options, type Words } from '@sluice/model';
import type { BlockRef } from '../../src/arena/block-ref.ts';
import type { AgentContext, TimedChecks } from '../../src/agent/agent-context.ts';
import type { Kernel } from '../../src/kernel/kernel.ts';
import * as layout from '../../src/kernel/layout.ts';
import { IDLE, PARKED, RACED, SPENT } from '../../src/kernel/states.ts';
import type { LineSteps } from '../../src/agent/kind.ts';
import type { WaitingPolicy } from '../../src/api/waiting-policy.ts';
import { label } from './label.ts';
import { agentAt, END, entryAt, layBlocks, ledgerAt, semaphoreAddress, tagOf } from './places.ts';
import type { Case } from './case.ts';
import { type Rules, witness } from './witness.ts';
import { OUTSIDER, SILENT, World, type Core, type Setup } from './world.ts';
import type { ElementAddress } from '../../src/kernel/addresses.ts';

const {
  AGENT_GATHER,
  AGENT_LEFT,
  AGENT_RECLAIMER,
  AGENT_STATE,
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_SIZE,
  BLOCK_TAG,
  BUCKETS,
  BUCKET_SHIFT,
  ENTRY_TAG,
  FLAGS,
} = layout;
const {
  GATE,
  GRANT,
  HEADER_AGENT_POOL,
  HEADER_ELEMENT_POOL,
  HEADER_HEAP,
  HEADER_LEDGER_POOL,
  HEADER_PENDING,
  HEADER_TOP,
  NEXT,
  OFFICE,
  OWNER,
  OWNERS_AT,
  TICKET,
} = layout;

/** An index that no agent of a world has. */
const NO_AGENT = 5;

/** The box office of a world. */
export interface Office {
  /** The code of the block's kind. */
  readonly kind: number;
  /** The FLAGS of each of its lines. */
  readonly flags: readonly number[];
  /** The BLOCK_KIND of each line behind the first, if it differs from that of the first. */
  readonly lineKinds?: readonly number[];
  /** The steps that make an agent an owner. All false if no body or invariant reads the result. */
  readonly rules: Rules;
  /** Must hold after every operation. */
  readonly invariant: (words: Words, agents: number) => string | undefined;
  /** Loads the kind's steps for an agent. Default: the box office belongs to the core's kernel. */
  readonly load?: (context: AgentContext, core: Core) => LineSteps;
  /**
   * Returns whether OFFICE may have that value at the end. 0 is always allowed. A case in which 0 means a loss checks
   * that in `final`.
   */
  readonly mayEndWith?: (office: bigint, words: Words) => boolean;
}

/** One agent at the box office. Each run of its body makes a new one. */
export interface ShadowUser {
  readonly core: Core;
  readonly ctx: Context;
  readonly context: AgentContext;
  readonly ref: BlockRef;
  readonly policy: WaitingPolicy;
  /** The steps of its waiters. */
  readonly line: LineSteps;
  /** The timed checks of its waiters. */
  readonly timedChecks?: TimedChecks | undefined;
}

export type OfficeSetup = Omit<Setup, 'permits' | 'most' | 'max' | 'owned'>;

export interface Loading {
  /**
   * The agents that have not loaded the kind. At the end, another agent finishes the recoveries that they left.
   */
  readonly without?: readonly number[];
}

/** Makes the object that an agent uses, such as a lock or an event. */
export type Make<Actor extends ShadowUser> = (shadowUser: ShadowUser) => Actor;

export interface Plan<Actor extends ShadowUser> {
  readonly name: string;
  readonly bodies: readonly ((actor: Actor) => unknown)[];
  readonly options: Options;
  /** Additional checks at the end. */
  readonly final?: (words: Words, outcomes: readonly unknown[]) => string | undefined;
  /** For cases in which agents may wait forever: checks that they have a reason to. */
  readonly stuck?: (words: Words, outcomes: readonly unknown[]) => string | undefined;
  /** Called after the world was laid out. */
  readonly before?: (words: Words, kernel: Kernel) => void;
  /** The agents that may die, and the maximum number of deaths. */
  readonly mayCrash?: readonly number[];
  readonly deaths?: number;
}

export class OfficeWorld<Actor extends ShadowUser> extends World {
  readonly office: Office;
  readonly #make: Make<Actor>;
  readonly #without: readonly number[];
  #still: ReadonlySet<number> = new Set();

  constructor(core: Core, office: Office, { without = [], ...setup }: OfficeSetup & Loading, make: Make<Actor>) {
    super(core, { spares: true, permits: office.flags.map(() => 0), ...setup });
    this.office = office;
    this.#make = make;
    this.#without = without;
  }

  case({ name, bodies, options, final, stuck, before, mayCrash, deaths }: Plan<Actor>): Case {
    this.#still = stillWords(
      this.office.flags.length,
      // Two agents that recover at the same time may each consider the other dead.
      this.#without.length > 0 ? [] : [...bodies.keys()].filter((agent) => mayCrash?.includes(agent) !== true),
    );
    const scenario = this.scenario(name, [], [], {
      agents: [
        ...bodies.map((body, index) => ({
          name: `agent ${index}`,
          body: (ctx: Context) => body(this.#make(this.shadowUser(ctx))),
        })),
        { name: 'observer', body: lookAround },
      ],
      setup: (words) => {
        this.layOut(words);
        before?.(words, this.core.referenceKernel(words));
      },
      invariant: (words) => {
        lookAround({ words });
        return this.office.invariant(words, bodies.length);
      },
      final: (words, outcomes) => {
        this.#finishLeft(words);
        return this.checkRest(words) ?? this.checkDead(words, outcomes) ?? final?.(words, outcomes);
      },
      ...(stuck === undefined ? {} : { stuck }),
      ...(mayCrash === undefined ? {} : { mayCrash, deaths: deaths ?? 1 }),
    });
    return { scenario, options };
  }

  shadowUser(ctx: Context): ShadowUser {
    const context = this.context(ctx);
    const arena = { handle: { memory: undefined, arena: 'model' } } as never;
    const ref = { arena, context, address: semaphoreAddress(0), tag: tagOf(0) };
    return {
      core: this.core,
      ctx,
      context,
      ref: ref,
      policy: { ...this.core.DEFAULT_POLICY, spinMicros: 0 },
      line: this.#lineOf(context, ctx.index),
    };
  }

  #lineOf(context: AgentContext, agent: number): LineSteps {
    return (
      (this.#without.includes(agent) ? undefined : this.office.load?.(context, this.core)) ?? context.semaphoreLine
    );
  }

  /** An agent that has loaded every kind finishes the recoveries that were left. */
  #finishLeft(words: Words): void {
    if (this.#without.length === 0) return;
    const kernel = witness(this.core.referenceKernel(words), { words, index: NO_AGENT } as Context, this.office.rules);
    const context = new this.core.AgentContext({
      words,
      kernel,
      parking: SILENT,
      heap: this.heap() as never,
      agent: agentAt(0),
      id: OUTSIDER,
    });
    this.office.load?.(context, this.core);
    this.core.finishPending(context);
  }

  override layOut(words: Words): void {
    super.layOut(words);
    const { kind, flags, lineKinds = [] } = this.office;
    const block = semaphoreAddress(0);
    words.put32(HEADER_HEAP, block);
    words.put32(HEADER_TOP, block + flags.length * BLOCK_LINE);
    layBlocks(words, [[block, flags.length * BLOCK_LINE, kind]]);
    for (const [line, code] of lineKinds.entries()) words.put32(semaphoreAddress(line + 1) + BLOCK_KIND, code);
    for (const [line, flag] of flags.entries()) {
      words.put32(semaphoreAddress(line) + BLOCK_TAG, tagOf(0));
      words.put32(semaphoreAddress(line) + FLAGS, flag);
      const recorded = flag >>> OWNERS_AT === 0;
      for (let agent = 0; agent < this.setup.agents; agent++)
        words.put32(entryAt(agent, line) + ENTRY_TAG, recorded ? tagOf(0) : 0);
    }
  }

  /**
   * These scenarios free nothing, and some agents do not die. So some words never change, and reading them is no
   * scheduling point.
   */
  protected override words(ctx: Context): Words {
    const known = views.get(ctx);
    if (known !== undefined) return known;
    const { words } = ctx;
    const bound = Object.fromEntries(WORDS.map((name) => [name, (words[name] as Operation).bind(words)]));
    const still = this.#still;
    const mayPend = this.#without.length > 0;
    const view = {
      ...bound,
      load32: (address: number) => {
        // If all agents have loaded the kind, the word stays 0. A scheduling point between two rounds without effect
        // would hide that they have no effect.
        if (address === HEADER_PENDING && !mayPend) return 0;
        return still.has(address) ? words.get32(address) : words.load32(address);
      },
    } as Words;
    views.set(ctx, view);
    return view;
  }

  protected override kernel(ctx: Context): Kernel {
    return witness(super.kernel(ctx), ctx, this.office.rules);
  }

  /** Checks that no agent is inside, none waits, none was forgotten, and no permit is left over. */
  checkRest(words: Words): string | undefined {
    const { flags, mayEndWith } = this.office;
    const office = words.load64(semaphoreAddress(0) + OFFICE);
    if (office !== 0n && mayEndWith?.(office, words) !== true)
      return `the box office ends with 0x${BigInt.asUintN(64, office).toString(16)}`;
    for (const line of flags.keys()) {
      const [grant, ticket] = [
        words.load64(semaphoreAddress(line) + GRANT),
        words.load64(semaphoreAddress(line) + TICKET),
      ];
      if (grant !== ticket) return `bouncer ${line} ends with grant ${grant} and ticket ${ticket}`;
    }
    return this.checkGates(words);
  }

  /**
   * Like `checkGates`, for kinds whose cancelled waiters leave their elements in the chain. Checks that the chains have
   * only such elements, lets an agent gather them, and then checks the gates.
   */
  checkGathered(words: Words): string | undefined {
    for (let bucket = 0; bucket < this.setup.buckets; bucket++) {
      for (
        let element = words.load32(BUCKETS + (bucket << BUCKET_SHIFT));
        element !== 0;
        element = words.get32(element + NEXT)
      ) {
        if (words.load32(element + GATE) !== SPENT)
          return `bucket ${bucket} still holds ${label(element, this.setup)} with gate ${words.load32(element + GATE)}`;
        if (words.load32(element + OWNER) === 0)
          return `${label(element, this.setup)} is in bucket ${bucket}, and any agent can claim it`;
      }
    }
    const kernel = this.core.referenceKernel(words);
    // The check borrows words of agent 0's record and restores them.
    words.put32(agentAt(0) + AGENT_GATHER, this.setup.buckets + 1);
    while (kernel.walk(agentAt(0)) !== IDLE);
    return this.checkGates(words);
  }

  /** Checks that the dead agents have left nothing. */
  checkDead(words: Words, outcomes: readonly unknown[]): string | undefined {
    for (const [agent, outcome] of outcomes.entries()) {
      if (outcome !== DIED) continue;
      if (words.load32(agentAt(agent) + AGENT_STATE) === AGENT_LEFT) this.tidy(words, agent);
      if (words.load32(agentAt(agent) + OWNER) !== 0) return `agent ${agent} died and still has its record`;
      if (words.load32(ledgerAt(agent) + OWNER) !== 0) return `agent ${agent} died and still has its ledger`;
    }
    return undefined;
  }
}

/** Returns the words that never change: of the arena, of the primitive's block, and of the agents that do not die. */
function stillWords(lines: number, survivors: readonly number[]): ReadonlySet<number> {
  return new Set([
    ...[HEADER_TOP, HEADER_AGENT_POOL, HEADER_ELEMENT_POOL, HEADER_LEDGER_POOL],
    ...[...Array(lines).keys()].flatMap((line) =>
      [BLOCK_TAG, BLOCK_KIND, BLOCK_SIZE].map((word) => semaphoreAddress(line) + word),
    ),
    ...survivors.flatMap((agent) => [
      agentAt(agent) + OWNER,
      agentAt(agent) + AGENT_RECLAIMER,
      ledgerAt(agent) + OWNER,
    ]),
  ]);
}

/** The views by context, as for kernels. */
const views = new WeakMap<Context, Words>();

const looked = new WeakSet<Words>();

/**
 * Reads every word of the world, the first time. After an agent and the invariant have done so, all words count as
 * shared. So the search need not start again for each word that it would otherwise find to be shared.
 */
function lookAround({ words }: { readonly words: Words }): void {
  if (looked.has(words)) return;
  looked.add(words);
  for (let at = 0; at < END; at += 4) words.get32(at);
}

type Operation = (...args: unknown[]) => unknown;
const WORDS = [
  ...(['load32', 'store32', 'add32', 'cas32', 'exchange32', 'load64', 'store64', 'add64', 'cas64'] as const),
  ...(['get32', 'put32', 'get64', 'put64'] as const),
];

/** Puts the element that a step such as `enqueueAtMutex` returned into its chain, with its owner asleep. */
export function putToSleep(words: Words, kernel: Kernel, agent: number, element: ElementAddress): void {
  while (kernel.link(agentAt(agent), element) === RACED);
  while (kernel.walk(agentAt(agent)) !== IDLE);
  words.store32(element + GATE, PARKED);
}
