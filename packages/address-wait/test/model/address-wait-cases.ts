// Cases of waiting on a condition.

import type { Options } from '@sluice/model';
import { MODE_ASYNC } from '../../../core/src/kernel/layout.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { ConditionWorld, recover, type Plan } from '../../../core/test/model/condition-world.ts';
import { WAYS, wordAt, wordOf, type Agent, type WaitCore, type Way } from './ways.ts';
import { asBucket } from '../../../core/src/kernel/addresses.ts';
import { WAIT_MUTANTS } from './mutants.ts';

const ALL: Options = {};
const TWO: Options = { preemptions: 2 };
const ONE: Options = { preemptions: 1 };
const [UNTIL, , , , , LOCATED, , ON_ADDRESS] = WAYS as readonly [Way, Way, Way, Way, Way, Way, Way, Way];
const NONE: Options = { preemptions: 0 };

/** Waits for a value, and checks that it sees the payload that was written before the value. */
const waiting =
  ({ wait }: Way, value = 1, timeoutMs?: number, index = 0) =>
  (agent: Agent): boolean => {
    const word = wordOf(agent, index);
    const met = wait(agent.core, word, value, timeoutMs);
    if (timeoutMs === undefined)
      agent.ctx.assert(met && word.load() >= value, 'the wait returned, but the word does not have the awaited value');
    return met;
  };

const changing =
  ({ signal }: Way, value = 1, index = 0) =>
  (agent: Agent): void => {
    const word = wordOf(agent, index);
    word.store(value);
    signal(agent.core, word);
  };

/** Changes the word in place of the agent `dead`, after its recovery, if that agent died before its change. */
const changingForTheDead =
  (way: Way, ...victims: readonly number[]) =>
  (agent: Agent): void => {
    recover(agent, ...victims);
    if (wordOf(agent).load() === 0) changing(way)(agent);
  };

const recovering =
  (...victims: readonly number[]) =>
  (agent: Agent): void =>
    recover(agent, ...victims);

function both(first: (agent: Agent) => unknown, second: (agent: Agent) => unknown) {
  return (agent: Agent): void => {
    first(agent);
    second(agent);
  };
}

export function addressWaitCases(core: WaitCore): Case[] {
  const make = (
    agents: number,
    plan: Plan<WaitCore>,
    lingering = 0,
    more: { buckets?: number; elements?: number } = {},
  ): Case => {
    const world = new ConditionWorld(core, { permits: [0], agents, elements: agents + 1, ...more });
    return world.case({
      ...plan,
      final: (words, outcomes) => plan.final?.(words, outcomes) ?? world.checkElements(words, lingering),
    });
  };
  const each = (build: (way: Way, lingering: number) => Case): Case[] =>
    WAYS.map((way) => build(way, way.name.startsWith('locationWait') ? 2 : 0));
  const timed = WAYS.filter(({ name }) => name !== 'keyWaitLazy' && !name.includes('polite'));
  const main = WAYS.filter(({ name }) => !name.includes('polite') && name !== 'keyWaitLazy');
  return [
    ...each((way, lingering) =>
      make(2, { name: `${way.name}: an agent waits`, bodies: [waiting(way), changing(way)], options: ALL }, lingering),
    ),
    ...main.map((way) =>
      make(
        2,
        {
          name: `${way.name}: two agents take turns`,
          bodies: [both(waiting(way), changing(way, 2)), both(changing(way), waiting(way, 2))],
          options: ALL,
        },
        2,
      ),
    ),
    ...timed.map((way) =>
      make(
        2,
        {
          name: `${way.name}: a waiter may time out`,
          bodies: [both(waiting(way, 1, 1), waiting(way, 1, 1)), changing(way)],
          options: ALL,
        },
        2,
      ),
    ),
    ...each((way, lingering) =>
      make(
        3,
        {
          name: `${way.name}: two agents wait in one bucket`,
          bodies: [waiting(way), waiting(way), changing(way)],
          options: TWO,
        },
        lingering,
      ),
    ),
    ...main.map((way) =>
      make(
        3,
        {
          name: `${way.name}: two agents wait for different words in one bucket`,
          bodies: [waiting(way), waiting(way, 1, undefined, 1), both(changing(way), changing(way, 1, 1))],
          options: TWO,
        },
        2,
      ),
    ),
    ...timed.map((way) =>
      make(
        3,
        {
          name: `${way.name}: one of two waiters may time out`,
          bodies: [waiting(way, 1, 1), waiting(way), changing(way)],
          options: TWO,
        },
        2,
      ),
    ),
    ...main.map((way) =>
      make(
        4,
        {
          name: `${way.name}: death of a waiter above another`,
          bodies: [waiting(way), waiting(way), changing(way), recovering(0)],
          mayCrash: [0],
          options: way === UNTIL ? ONE : NONE,
        },
        1,
      ),
    ),
    ...main.map((way) =>
      make(
        3,
        {
          name: `${way.name}: death of the waker`,
          bodies: [changing(way), waiting(way), changingForTheDead(way, 0)],
          mayCrash: [0],
          options: TWO,
        },
        1,
      ),
    ),
    ...[UNTIL, ON_ADDRESS].map((way) =>
      make(
        4,
        {
          name: `${way.name}: death of the waker, and of the agent that recovers it`,
          bodies: [changing(way), waiting(way), recovering(0), changingForTheDead(way, 2, 0)],
          mayCrash: [0, 2],
          deaths: 2,
          options: NONE,
        },
        1,
      ),
    ),
    throwing(make),
    inVain(make),
    inBothChains(make),
    usedAgain(make),
    blockedAsync(make),
    blockedCondition(make),
    moves(make),
    freshArena(core),
    wakeSingle(make),
  ];
}

type Make = (
  agents: number,
  plan: Plan<WaitCore>,
  lingering?: number,
  more?: { buckets?: number; elements?: number },
) => Case;

/** The condition throws at its second or a later evaluation. */
function throwing(make: Make): Case {
  const failing = (agent: Agent): void => {
    const word = wordOf(agent);
    let looks = 0;
    try {
      agent.core.addressWaitUntil(word, () => {
        looks += 1;
        if (looks === 2 && agent.ctx.choose(2, 'throws') === 1) throw new Error('no');
        return word.load() === 1;
      });
    } catch (error) {
      if ((error as Error).message !== 'no') throw error;
    }
  };
  return make(3, {
    name: 'a condition throws while another agent waits',
    bodies: [failing, waiting(UNTIL), changing(UNTIL)],
    options: TWO,
  });
}

/**
 * An async waiter does not run until the waiter below it has gone on: a wake-up must not depend on the async waiter.
 */
function blockedAsync(make: Make): Case {
  const DONE = 1;
  const blocked = (agent: Agent): void => {
    const { core, context, ctx } = agent;
    const word = wordOf(agent);
    const element = core.enterBucket(context, asBucket(bucketOf()), { mode: MODE_ASYNC });
    if (word.load() === 0) context.kernel.sleepOnGate(element);
    ctx.until(() => ctx.words.load32(wordAt(DONE)) === 1);
    core.leaveBucket(context, element);
  };
  return make(3, {
    name: 'a waiter below an async waiter that does not run',
    bodies: [blocked, both(waiting(UNTIL), changing(UNTIL, 1, DONE)), changing(UNTIL)],
    options: TWO,
  });
}

/** As `blockedAsync`, with a waiter that blocks while it evaluates its condition. */
function blockedCondition(make: Make): Case {
  const DONE = 1;
  const blocked = (agent: Agent): void => {
    const { core, ctx } = agent;
    const word = wordOf(agent);
    let looks = 0;
    core.addressWaitUntil(word, () => {
      looks += 1;
      if (looks === 2) ctx.until(() => ctx.words.load32(wordAt(DONE)) === 1);
      return word.load() === 1;
    });
  };
  return make(3, {
    name: 'a waiter below a waiter that blocks in its condition',
    bodies: [blocked, both(waiting(UNTIL), changing(UNTIL, 1, DONE)), changing(UNTIL)],
    options: TWO,
  });
}

const bucketOf = (): number => 256;

/** No agent ever signals: waiters that time out must leave nothing behind. */
function inVain(make: Make): Case {
  const bodies = [waiting(UNTIL, 1, 1), waiting(UNTIL, 1, 1)];
  return make(2, { name: 'two agents time out without a signal', bodies, options: ALL });
}

/**
 * One agent waits at the location, another with a condition, in the same bucket. The agent that would wake both dies.
 */
function inBothChains(make: Make): Case {
  const bodies = [changing(UNTIL), waiting(LOCATED), waiting(UNTIL)];
  const last = (agent: Agent): void => {
    changingForTheDead(UNTIL, 0)(agent);
    agent.core.locationWakeAll(wordOf(agent));
  };
  return make(
    4,
    { name: 'death of a waker that detached two chains', bodies: [...bodies, last], mayCrash: [0], options: NONE },
    1,
  );
}

/** The element of a dead waiter must not serve another wait while it is still in a chain. */
function usedAgain(make: Make): Case {
  const last = (agent: Agent): void => {
    recover(agent, 0);
    waiting(UNTIL, 2)(agent);
  };
  const bodies = [waiting(UNTIL, 1, 1), waiting(UNTIL, 2), both(changing(UNTIL), changing(UNTIL, 2)), last];
  return make(
    4,
    { name: 'a wait begins while the element of a dead waiter is in a chain', bodies, mayCrash: [0], options: ONE },
    0,
    {
      elements: 3,
    },
  );
}

/** An agent moves its element from a location in one bucket to a location in another bucket. */
function moves(make: Make): Case {
  const going = both(waiting(LOCATED, 1, 1), waiting(LOCATED, 1, undefined, 1));
  const waker = both(changing(LOCATED), changing(LOCATED, 1, 1));
  return make(
    3,
    {
      name: 'an agent waits at one location and then at another',
      bodies: [going, waiting(LOCATED, 1, undefined, 1), waker],
      options: TWO,
    },
    2,
    { buckets: 4 },
  );
}

/** The first waiter ever in its arena. The agent that wakes it dies before it signals. */
function freshArena(core: WaitCore): Case {
  const world = new ConditionWorld(core, { permits: [0], agents: 3 });
  const [, , keyWait] = WAYS as readonly [Way, Way, Way];
  const built = world.case({
    name: 'death of the waker during the first wait of an arena',
    bodies: [changing(keyWait), waiting(keyWait), changingForTheDead(keyWait, 0)],
    mayCrash: [0],
    options: TWO,
    final: (words) => world.checkElements(words),
  });
  const setup = (words: Parameters<NonNullable<typeof built.scenario.setup>>[0]): void => {
    world.layOut(words);
    words.put32(56, 0);
  };
  return { ...built, scenario: { ...built.scenario, setup } };
}

/** Each change wakes one waiter of the word, and each waiter consumes one change. */
function wakeSingle(make: Make): Case {
  const takes = (agent: Agent): void => {
    const word = wordOf(agent);
    for (;;) {
      const seen = word.load();
      if (seen > 0 && word.compareExchange(seen, seen - 1) === seen) return;
      if (seen === 0) agent.core.waitOnAddress(word, 0);
    }
  };
  const gives = (agent: Agent): void => {
    const word = wordOf(agent);
    for (let count = 0; count < 2; count++) {
      word.add(1);
      agent.core.wakeByAddressSingle(word);
    }
  };
  return make(3, {
    name: 'wakeByAddressSingle: each change wakes one waiter',
    bodies: [takes, takes, gives],
    options: TWO,
  });
}

export const MODELS: readonly Model[] = [
  { name: 'address wait', entry: new URL('entry.ts', import.meta.url), cases: addressWaitCases, mutants: WAIT_MUTANTS },
];
