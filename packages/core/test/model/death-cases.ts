// Scenarios in which agents die before any kernel step or asleep. Afterwards permits are conserved, every living waiter
// was served, no two agents held the same permit, and the dead agents have left nothing.

import { soakSize } from '@sluice/harness';
import { DIED, type Options, type Scenario, type Words } from '@sluice/model';
import {
  AGENT_ALIVE,
  AGENT_LEFT,
  AGENT_PENDING,
  AGENT_STATE,
  AGENT_STUB,
  AGENT_THREAD,
  FLAG_OWNED,
  FLAGS,
  MODE_BLOCKING,
  OWNER,
} from '../../src/kernel/layout.ts';
import { CONSISTENT, ORPHANED, TAKEN } from '../../src/kernel/states.ts';
import { give, orFails, pass, passOrAbort, take, tryPass } from './bodies.ts';
import {
  changeBoth,
  giveForTheDead,
  healthWord,
  leaveToWaiter,
  reclaim,
  recoverOnce,
  takeAndHold,
} from './death-bodies.ts';
import { queue, sleepOn } from './line-cases.ts';
import { agentAt, elementAt, ledgerAt, semaphoreAddress } from './places.ts';
import type { Case, Model } from './case.ts';
import { World, type Body, type Core, type Setup } from './world.ts';
import { asElement } from '../../src/kernel/addresses.ts';
import { DEATH_MUTANTS } from './death-mutants.ts';

const ALL: Options = {};
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const ONE_PREEMPTION: Options = { preemptions: 1 };
/** Each of these cases takes half a minute with one preemption. */
const ONE_IN_THE_SOAK: Options = { preemptions: soakSize(0, 1) };
const TWO_IN_THE_SOAK: Options = { preemptions: soakSize(1, 2) };

interface Fate {
  /** The agents that may die, and the maximum number of deaths. Default: the first agent, 1. */
  readonly mayCrash?: readonly number[];
  readonly deaths?: number;
  /** The number of free permits at the end. Default: as at the start. */
  readonly ends?: number | ((outcomes: readonly unknown[]) => number);
}

export function deathCases(core: Core): Case[] {
  const make = (name: string, setup: Setup, bodies: readonly Body[], options: Options, fate: Fate = {}): Case => ({
    scenario: crashScenario(new World(core, setup), name, bodies, fate),
    options,
  });
  const one = { permits: [1], agents: 3 };
  const two = { permits: [2], agents: 3 };
  const four = { permits: [1], agents: 4 };
  const closed = (body: Body): Body => orFails('SLUICE_CLOSED', body);
  const full = (body: Body): Body => orFails('SLUICE_ARENA_FULL', body);
  return [
    make('one of two holders of one permit may die', one, [pass(), pass(), reclaim(0)], ALL),
    make('a waiter that may time out may die', one, [tryPass(), pass(), reclaim(0)], ALL),
    make('a holder may die while a waiter may time out', one, [pass(), tryPass(), reclaim(0)], ALL),
    make('an agent that wants both permits may die', two, [pass(2), pass(), reclaim(0)], ALL),
    make('an agent may die while another agent wants both permits', two, [pass(), pass(2), reclaim(0)], ALL),
    make('an async waiter may die', one, [passOrAbort(), pass(), reclaim(0)], ALL),
    make('an agent at a bounded semaphore may die', { ...one, max: 1 }, [pass(), pass(), reclaim(0)], ALL),
    make('a releasing agent may die', { ...one, permits: [0], most: 1 }, [give(), tryPass(), reclaim(0)], ALL, {
      // The case does not check whether agent 0 released the permit. If it did, the permit must be available.
      ends: -1,
    }),
    make(
      'a living agent returns the permit of a dead agent',
      { ...one, most: 2 },
      [takeAndHold, giveForTheDead(0), pass()],
      ALL,
    ),
    make('an agent without an element may die', { ...one, elements: 0 }, [full(pass()), full(pass()), reclaim(0)], ALL),
    make(
      'one of three agents may die, with one element for all',
      { ...four, elements: 1 },
      [full(pass()), full(pass()), full(pass()), reclaim(0)],
      TWO_PREEMPTIONS,
    ),
    make(
      'a closing agent may die',
      { ...one, permits: [0], most: 1 },
      [({ sem }) => sem.close(), closed(take()), reclaimAndClose],
      ALL,
      { ends: -1 },
    ),
    make('the owner of a lock may die', { ...one, owned: true }, [changeBoth, changeBoth, reclaim(0)], ALL),
    make(
      'the owner of a lock and its heir may die',
      { ...four, owned: true },
      [changeBoth, changeBoth, changeBoth, reclaim(0, 1)],
      ONE_IN_THE_SOAK,
      {
        mayCrash: [0, 1],
        deaths: 2,
      },
    ),
    // Words that only one agent should use are scheduling points, too, because two simultaneous recoveries would share
    // them.
    make('two reclaimers at the same time', one, [pass(), reclaim(0), reclaim(0)], { scheduleLocal: true }),
    make(
      'two reclaimers and a waiter at the same time',
      four,
      [pass(), pass(), reclaim(0), reclaim(0)],
      ONE_PREEMPTION,
    ),
    make('a reclaimer may die', one, [pass(), reclaim(0), reclaim(1, 0)], ALL, { mayCrash: [0, 1], deaths: 2 }),
    make(
      'a reclaimer without an element may die',
      { ...four, elements: 0 },
      [full(pass()), full(pass()), reclaim(0), reclaim(2, 0)],
      ONE_PREEMPTION,
      {
        mayCrash: [0, 2],
        deaths: 2,
      },
    ),
    make('two of three agents may die', four, [pass(), pass(), pass(), reclaim(0, 1)], ONE_IN_THE_SOAK, {
      mayCrash: [0, 1],
      deaths: 2,
    }),
    make('one of three agents may die', four, [pass(), pass(), pass(), reclaim(1)], TWO_IN_THE_SOAK, {
      mayCrash: [1],
    }),
    make(
      'one of three agents may die, and one may time out',
      four,
      [tryPass(), tryPass(), tryPass(), reclaim(0)],
      ONE_PREEMPTION,
    ),
    make(
      'one of three agents with mixed weights may die',
      { ...four, permits: [2] },
      [pass(2), tryPass(2), pass(), reclaim(0)],
      ONE_PREEMPTION,
    ),
    make(
      'one of three agents with two buckets may die',
      { ...four, permits: [2], buckets: 2 },
      [pass(2), pass(), pass(), reclaim(0)],
      ONE_PREEMPTION,
    ),
    giveAndGiveBack(core),
    behindAStub(core),
    tombstoneInUse(core),
    reclaimerAlone(core),
    newOwner(core),
    lookingAtEachOther(core),
    usedAgain(core),
    leftToOneThatGoesToSleep(core),
  ];
}

/** Recovers the dead agent. Closes the semaphore if that agent died before it could. */
const reclaimAndClose: Body = (actor) => {
  reclaim(0)(actor);
  actor.sem.close();
};

function crashScenario(
  world: World,
  name: string,
  bodies: readonly Body[],
  { mayCrash = [0], deaths = 1, ends }: Fate,
): Scenario {
  const [permits = 0] = world.setup.permits;
  return world.scenario(name, bodies, undefined, {
    mayCrash,
    deaths,
    final: (words, outcomes) => {
      const expected = typeof ends === 'function' ? ends(outcomes) : (ends ?? permits);
      return (
        (expected < 0 ? world.checkGates(words) : world.checkEnd(words, [expected])) ??
        checkDead(world, words, outcomes) ??
        checkHealth(words)
      );
    },
  });
}

/** Checks that the dead agents have left nothing, after another pass over work that waits for a tombstone. */
export function checkDead(world: World, words: Words, outcomes: readonly unknown[]): string | undefined {
  for (const [agent, outcome] of outcomes.entries()) {
    if (outcome !== DIED) continue;
    if (words.load32(agentAt(agent) + AGENT_STATE) === AGENT_LEFT) world.tidy(words, agent);
    if (words.load32(agentAt(agent) + OWNER) !== 0) return `agent ${agent} died and still has its record`;
    if (words.load32(agentAt(agent) + AGENT_STATE) !== 0) return `the free record of agent ${agent} has a state`;
    if (words.load32(ledgerAt(agent) + OWNER) !== 0) return `agent ${agent} died and still has its ledger`;
  }
  return undefined;
}

function checkHealth(words: Words): string | undefined {
  // In the line of a semaphore that is not a lock, this word has another meaning.
  if ((words.load32(semaphoreAddress(0) + FLAGS) & FLAG_OWNED) === 0) return undefined;
  const health = words.load32(healthWord());
  // ORPHANED is correct if no agent came after the dead owner: the notice waits for the next owner.
  return health === CONSISTENT || health === ORPHANED ? undefined : `the lock ends with health ${health}`;
}

/** One agent releases a new permit while another returns the permit of agent 0, which dies. */
function giveAndGiveBack(core: Core): Case {
  const world = new World(core, { permits: [1], agents: 3, max: 4, most: 3 });
  const scenario = crashScenario(
    world,
    'a new permit is released while the permit of a dead agent is returned',
    [takeAndHold, giveForTheDead(0), give()],
    {
      // The permit that agent 0 may hold, the new permit, and the permit returned for agent 0.
      ends: 2,
    },
  );
  return { scenario, options: ALL };
}

/** Agent 0 drew its ticket into its stub, because there was no free element. Agent 1 is behind it in line, asleep. */
function behindAStub(core: Core): Case {
  const world = new World(core, { permits: [0], agents: 4, most: 1, elements: 2 });
  const waitOn: Body = ({ context, sem, entry, core: { sleepInLine, DEFAULT_POLICY } }) => {
    const element = context.begin(asElement(agentAt(0) + AGENT_STUB), entry, MODE_BLOCKING);
    const verdict =
      element === TAKEN
        ? TAKEN
        : sleepInLine(
            context,
            { line: context.semaphoreLine, entry },
            asElement(element),
            { ...DEFAULT_POLICY, spinMicros: 0 },
            Infinity,
          );
    if (verdict === TAKEN) sem.release();
  };
  const scenario = crashScenario(
    world,
    'an agent with its ticket in its stub may die',
    [waitOn, sleepOn(), give(), reclaim(0)],
    { ends: 0 },
  );
  return { scenario: { ...scenario, setup: queue(world, [1, 1], 1) }, options: TWO_PREEMPTIONS };
}

/** Agent 0 dies asleep in line. Its tombstone must not serve another wait while it is in its chain. */
function tombstoneInUse(core: Core): Case {
  const world = new World(core, { permits: [0], agents: 4, most: 2, elements: 2 });
  const reclaimAndTake: Body = (actor) => {
    reclaim(0)(actor);
    return orFails('SLUICE_ARENA_FULL', ({ sem }) => sem.tryAcquire(1, 1))(actor) === true;
  };
  const admitted = (outcomes: readonly unknown[]): number => outcomes.filter((outcome) => outcome === true).length;
  const scenario = crashScenario(
    world,
    'a new wait begins beside the tombstone of a dead agent',
    [sleepOn(), sleepOn(), reclaimAndTake, give(2)],
    {
      ends: (outcomes) => 2 - admitted(outcomes),
    },
  );
  return { scenario: { ...scenario, setup: queue(world, [1, 1]) }, options: TWO_PREEMPTIONS };
}

/**
 * The recovery of a dead reclaimer also finishes the recovery that it had begun. No agent must remember the first
 * death.
 */
function reclaimerAlone(core: Core): Case {
  const world = new World(core, { permits: [1], agents: 4 });
  const finish: Body = (actor) => {
    const { ctx } = actor;
    if (!ctx.waitForDeath(2)) return;
    const begun = ctx.words.load32(agentAt(0) + OWNER) === 1 && ctx.words.load32(ledgerAt(0) + OWNER) === 0;
    recoverOnce(actor, 2);
    const left = ctx.words.load32(agentAt(0) + OWNER) !== 0;
    ctx.assert(!begun || !left, 'the recovery that the dead reclaimer had begun was not finished');
    if (ctx.waitForDeath(0)) recoverOnce(actor, 0);
  };
  const name = 'a dead reclaimer had begun a recovery';
  return {
    scenario: crashScenario(world, name, [pass(), pass(), reclaim(0), finish], { mayCrash: [0, 2], deaths: 2 }),
    options: ONE_PREEMPTION,
  };
}

/** Each of two agents checks whether the other one lives. Both die before they give up the right to recover. */
function lookingAtEachOther(core: Core): Case {
  const world = new World(core, { permits: [1], agents: 3 });
  const look =
    (other: number): Body =>
    ({ context }) => {
      if (context.kernel.takeOver(agentAt(other), other + 1, 0, -context.id) !== TAKEN) return;
      context.kernel.takeOver(agentAt(other), other + 1, -context.id, 0);
    };
  const name = 'two agents that check each other die';
  return {
    scenario: crashScenario(world, name, [look(1), look(0), reclaim(0, 1, 0)], { mayCrash: [0, 1], deaths: 2 }),
    options: ALL,
  };
}

/**
 * Agent 0 gave up, died, and left a tombstone. While the reclaimer reads the tombstone, a walker frees it and a
 * newcomer claims it. The reclaimer must not apply its earlier reads to the newcomer.
 */
function newOwner(core: Core): Case {
  const world = new World(core, { permits: [0], agents: 5, most: 1, elements: 2 });
  const becomeOwner: Body = ({ ctx, context }) => {
    ctx.until(() => ctx.words.load32(elementAt(0) + OWNER) === 0);
    return context.kernel.claim(elementAt(0), context.id) === TAKEN;
  };
  const leaveAndDie: Body = ({ core: { leaveLine }, context, entry }) => {
    leaveLine(context, { line: context.semaphoreLine, entry }, elementAt(0));
    context.finishWalk();
  };
  const give1: Body = give();
  const scenario = world.scenario(
    'a tombstone is freed while its owner is recovered',
    [leaveAndDie, sleepOn(), give1, reclaim(0), becomeOwner],
    undefined,
    {
      setup: queue(world, [1, 1]),
      mayCrash: [0],
      final: (words, outcomes) =>
        outcomes[4] === true && words.load32(elementAt(0) + OWNER) !== 5
          ? 'the newcomer lost the element that it had claimed'
          : undefined,
      // Without a death no agent frees the element.
      stuck: () => undefined,
    },
  );
  return { scenario, options: TWO_PREEMPTIONS };
}

/** A second reclaimer is late: the record that it was about to recover already belongs to a new agent. */
function usedAgain(core: Core): Case {
  const world = new World(core, { permits: [1], agents: 3 });
  const NEWCOMER = 9;
  const recoverAndJoin: Body = (actor) => {
    const { ctx, context } = actor;
    if (!ctx.waitForDeath(0)) return false;
    recoverOnce(actor, 0);
    return context.kernel.claimRecord(agentAt(0), NEWCOMER, 1) === TAKEN;
  };
  const recoverLate: Body = ({ ctx, core: { recover }, context }) => {
    if (ctx.waitForDeath(0)) recover(context, agentAt(0), 1, true);
  };
  const scenario = world.scenario(
    'a record is reused while a reclaimer is late',
    [pass(), recoverAndJoin, recoverLate],
    undefined,
    {
      mayCrash: [0],
      final: (words, outcomes) => {
        const [owner, state] = [words.load32(agentAt(0) + OWNER), words.load32(agentAt(0) + AGENT_STATE)];
        const thread = words.load32(agentAt(0) + AGENT_THREAD);
        const whole = owner === NEWCOMER && state === AGENT_ALIVE && thread === 1;
        if (outcomes[1] === true && !whole)
          return `the newcomer's record says owner ${owner}, state ${state}, thread ${thread}`;
        return world.checkEnd(words, [1]);
      },
    },
  );
  return { scenario, options: ALL };
}

/** Agent 2 is dead, and its recovery is left to agent 0, which goes to sleep meanwhile. */
function leftToOneThatGoesToSleep(core: Core): Case {
  const world = new World(core, { permits: [0], agents: 3, most: 1, spares: true });
  const scenario = world.scenario(
    'a recovery is left to an agent that goes to sleep',
    [take(), leaveToWaiter(2)],
    [0],
    {
      setup: (words) => {
        world.layOut(words);
        words.put32(agentAt(2) + AGENT_STATE, AGENT_PENDING);
      },
    },
  );
  return { scenario, options: ALL };
}

export const MODELS: readonly Model[] = [
  { name: 'death', entry: new URL('entry.ts', import.meta.url), cases: deathCases, mutants: DEATH_MUTANTS },
];
