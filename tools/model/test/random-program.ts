// Small random programs, and the set of endings of each.

import { explore, type Context, type Options, type Result, type Scenario } from '../src/index.ts';

const WIDE = 16;
const BYTES = 32;

type Random = (n: number) => number;
type Instruction = (ctx: Context) => unknown;

/** xorshift32 */
function source(seed: number): Random {
  let x = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return (n) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % n;
  };
}

interface Operands {
  readonly address: number;
  readonly second: number;
  readonly value: number;
  readonly expected: number;
  readonly other: number;
}

const MENU: readonly ((operands: Operands) => Instruction)[] = [
  ({ address }) =>
    ({ words }) =>
      words.load32(address),
  ({ address, value }) =>
    ({ words }) =>
      words.store32(address, value),
  ({ address, value }) =>
    ({ words }) =>
      words.add32(address, value),
  ({ address, value, expected }) =>
    ({ words }) =>
      words.cas32(address, expected, value),
  ({ address, value }) =>
    ({ words }) =>
      words.exchange32(address, value),
  ({ value }) =>
    ({ words }) =>
      Number(words.add64(WIDE, BigInt(value))),
  () =>
    ({ words }) =>
      Number(words.load64(WIDE)),
  ({ expected }) =>
    ({ words }) =>
      words.load32(WIDE + 4 * expected),
  ({ address, expected }) =>
    ({ parking }) =>
      parking.wait(address, expected),
  ({ address, expected }) =>
    ({ parking }) =>
      parking.wait(address, expected, true),
  ({ address }) =>
    ({ parking }) =>
      parking.notify(address, 1),
  ({ address }) =>
    ({ parking }) =>
      parking.notify(address),
  () => (ctx) => ctx.choose(2),
  () => (ctx) => ctx.step('step'),
  ({ other }) =>
    (ctx) =>
      ctx.dead(other),
  ({ other }) =>
    (ctx) =>
      ctx.waitForDeath(other),
  ({ address, expected }) =>
    (ctx) =>
      ctx.until(() => ctx.words.load32(address) !== expected),
  ({ address, expected }) =>
    (ctx) => {
      while (ctx.words.load32(address) === expected) ctx.pause();
    },
  ({ address, second, value, expected }) =>
    (ctx) =>
      ctx.until(() => ctx.words.load32(address) !== expected || ctx.words.load32(second) === value),
  ({ address, second, value, expected }) =>
    (ctx) => {
      while (ctx.words.load32(address) === expected && ctx.words.load32(second) !== value) ctx.pause();
    },
  ({ address, value, expected }) =>
    (ctx) => {
      while (ctx.words.cas32(address, expected, value) !== expected) ctx.pause();
    },
];

/** Returns each agent's instructions. They are of a few kinds and on a few words, so that the agents interact. */
function program(random: Random): readonly (readonly Instruction[])[] {
  const agents = 2 + random(2);
  const words = 1 + random(3);
  const kinds = Array.from({ length: 2 + random(4) }, () => MENU[random(MENU.length)]);
  kinds.push(...MENU.slice(1 + random(2)).slice(0, 3));
  return Array.from({ length: agents }, (_, self) =>
    Array.from({ length: 1 + random(agents === 2 ? 5 : 3) }, () => {
      const instruction = kinds[random(kinds.length)]?.({
        address: 4 * random(words),
        second: 4 * random(words),
        value: random(3),
        expected: random(2),
        other: (self + 1 + random(agents - 1)) % agents,
      });
      return instruction ?? ((): undefined => undefined);
    }),
  );
}

function run(instructions: readonly Instruction[], ctx: Context, skips: number): string {
  const seen: unknown[] = [];
  for (let at = 0; at < instructions.length; at += 1) {
    const result = instructions[at]?.(ctx);
    seen.push(result);
    if (((skips >> at) & 1) === 1 && Boolean(result)) at += 1;
  }
  return seen.join(' ');
}

export interface Endings {
  readonly result: Result;
  readonly endings: ReadonlySet<string>;
}

/** Returns every ending of the program of that seed: all values that each agent saw, and the memory. */
export function endingsOf(seed: number, options: Options): Endings {
  const random = source(seed);
  const instructions = program(random);
  const skips = instructions.map(() => random(32) & random(32));
  const endings = new Set<string>();
  const end: Scenario['final'] = (words, outcomes) => {
    const memory = Array.from({ length: BYTES / 4 }, (_, index) => words.load32(4 * index));
    endings.add(`${outcomes.map(String).join(' | ')} | ${memory.join(',')}`);
  };
  const scenario: Scenario = {
    name: `program ${seed}`,
    bytes: BYTES,
    agents: instructions.map((list, index) => ({
      name: `agent ${index}`,
      body: (ctx) => run(list, ctx, skips[index] ?? 0),
    })),
    mayCrash: instructions.map((_, index) => index).filter(() => random(3) === 0),
    deaths: 1 + random(2),
    final: end,
    stuck: end,
  };
  return { result: explore(scenario, { spurious: random(4) === 0, simplify: false, ...options }), endings };
}
