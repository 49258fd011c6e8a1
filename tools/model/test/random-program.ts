// Small random programs, and the set of ways in which each can end.

import { explore, type Context, type Options, type Result, type Scenario } from '../src/index.ts';

const WORDS = 3;
const WIDE = 16;
const BYTES = 32;

type Instruction = (ctx: Context) => unknown;

/** xorshift32 */
function source(seed: number): (n: number) => number {
  let x = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return (n) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % n;
  };
}

function instruction(random: (n: number) => number, agents: number, self: number, cyclic: boolean): Instruction {
  const address = 4 * random(WORDS);
  const value = random(3);
  const expected = random(2);
  const other = (self + 1 + random(agents - 1)) % agents;
  const menu: Instruction[] = [
    ({ words }) => words.load32(address),
    ({ words }) => words.load32(address),
    ({ words }) => words.store32(address, value),
    ({ words }) => words.add32(address, value),
    ({ words }) => words.cas32(address, expected, value),
    ({ words }) => words.cas32(address, expected, value),
    ({ words }) => words.exchange32(address, value),
    ({ words }) => Number(words.add64(WIDE, BigInt(value))),
    ({ words }) => Number(words.load64(WIDE)),
    ({ words }) => words.load32(WIDE + 4 * expected),
    ({ parking }) => parking.wait(address, expected),
    ({ parking }) => parking.wait(address, expected, true),
    ({ parking }) => parking.notify(address, 1),
    ({ parking }) => parking.notify(address),
    (ctx) => ctx.choose(2),
    (ctx) => {
      ctx.step('step');
    },
    (ctx) => ctx.dead(other),
    (ctx) => ctx.waitForDeath(other),
    (ctx) => {
      ctx.until(() => ctx.words.load32(address) !== expected);
    },
    (ctx) => {
      while (ctx.words.load32(address) === expected) ctx.pause();
    },
  ];
  if (cyclic) {
    const second = 4 * random(WORDS);
    menu.push(
      (ctx) => {
        ctx.until(() => ctx.words.load32(address) !== expected || ctx.words.load32(second) === value);
      },
      (ctx) => {
        while (ctx.words.load32(address) === expected && ctx.words.load32(second) !== value) ctx.pause();
      },
      (ctx) => {
        while (ctx.words.cas32(address, expected, value) !== expected) ctx.pause();
      },
    );
  }
  return menu[random(menu.length)] ?? ((): undefined => undefined);
}

export interface Endings {
  readonly result: Result;
  readonly endings: ReadonlySet<string>;
}

/**
 * Every way in which the program of that seed can end: all that each agent saw, and the memory. A `cyclic` one may spin
 * on several words, so that without a cache its schedules have no end.
 */
export function endingsOf(seed: number, options: Options, cyclic = false): Endings {
  const random = source(seed);
  const count = 2 + random(2);
  const length = count === 2 ? 4 : 3;
  const programs = Array.from({ length: count }, (_, self) =>
    Array.from({ length: 1 + random(length) }, () => ({ run: instruction(random, count, self, cyclic), skipIfTruthy: random(4) === 0 })),
  );
  const mortal = Array.from({ length: count }, (_, index) => index).filter(() => random(3) === 0);
  const endings = new Set<string>();
  const end: Scenario['final'] = (words, outcomes) => {
    const memory = Array.from({ length: BYTES / 4 }, (_, index) => words.load32(4 * index));
    endings.add(`${outcomes.map(String).join(' | ')} | ${memory.join(',')}`);
  };
  const scenario: Scenario = {
    name: `program ${seed}`,
    bytes: BYTES,
    agents: programs.map((program, index) => ({
      name: `agent ${index}`,
      body: (ctx) => {
        const seen: unknown[] = [];
        for (let at = 0; at < program.length; at += 1) {
          const result = program[at]?.run(ctx);
          seen.push(result);
          if (program[at]?.skipIfTruthy === true && Boolean(result)) at += 1;
        }
        return seen.join(' ');
      },
    })),
    mortal,
    deaths: 1 + random(2),
    final: end,
    stuck: end,
  };
  return { result: explore(scenario, { spurious: random(4) === 0, simplify: false, ...options }), endings };
}
