import { expect, test } from 'vitest';
import type { WaitingPolicy } from '../../core/src/index.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import { filesOf, functionsOf, POLICY } from '../../core/test/support/functions-of.ts';
import { BoundedBuffer } from '../src/index.ts';

interface Scene {
  readonly policy?: Partial<WaitingPolicy>;
  /** What happens right before the push. */
  readonly before?: (agent: Agent) => void;
  /** Whether a consumer waits for the value by the time it is in. */
  readonly isAwaited?: boolean;
}

/** The functions of a `push` into a full buffer of the default codec. Another agent makes room. */
async function functionsOfPush({ policy = POLICY, before, isAwaited = false }: Scene): Promise<string[]> {
  const world = new World({ engine: 'wasm', pages: 4, policy });
  const [agent, other] = [world.join(), world.join()];
  const othersBuffer = BoundedBuffer.create<number>({ arena: other.arena, capacity: 1 });
  const buffer = BoundedBuffer.from<number>(world.handle(othersBuffer.handle, agent));
  othersBuffer.push(1);
  agent.context.refill();
  before?.(agent);
  let popped: Promise<number> | undefined;
  const functions = functionsOf(
    () => buffer.push(2),
    () => {
      expect(othersBuffer.pop()).toBe(1);
      if (isAwaited) popped = othersBuffer.popAsync();
    },
  );
  expect(await (popped ?? othersBuffer.popAsync())).toBe(2);
  return functions;
}

const PATH = [
  'bounded-buffer/src/api/codec.ts encode',
  'bounded-buffer/src/buffer/bounded-buffer.ts push',
  'bounded-buffer/src/buffer/bounded-buffer.ts tryPush',
  'bounded-buffer/src/sides/side.ts #waitInLine',
  'bounded-buffer/src/sides/side.ts commit',
  'bounded-buffer/src/sides/side.ts enter',
  'bounded-buffer/src/sides/side.ts goOn',
  'bounded-buffer/src/values/records.ts pack',
  'bounded-buffer/src/values/records.ts unitsOf',
  'bounded-buffer/src/values/records.ts write',
  'core/src/agent/parking.ts date',
  'core/src/agent/parking.ts wait',
  'core/src/line/line.ts blockInLine',
  'core/src/line/line.ts endOfWait',
  'core/src/platform/reserve-stack.ts reserveStack',
  'core/src/platform/utf8.ts encodeText',
];
/** The walk that admits a consumer. */
const WALK = [
  'core/src/agent/agent-context.ts #walkKind',
  'core/src/agent/agent-context.ts finishWalk',
  'core/src/agent/parking.ts notify',
  'core/src/memory/traps.ts wrapped',
];

test('a contended push passes through sixteen named functions in eight files', async () => {
  const functions = await functionsOfPush({});
  expect(functions).toEqual(PATH);
  expect(filesOf(functions).size).toBe(8);
});

test('a contended push that wakes a consumer passes through twenty named functions in ten files', async () => {
  const functions = await functionsOfPush({ isAwaited: true });
  expect(functions).toEqual([...PATH, ...WALK].sort());
  expect(filesOf(functions).size).toBe(10);
});

test('a contended push that looks again before it waits, where spinning does not pay, passes through 28 named functions in twelve files', async () => {
  const functions = await functionsOfPush({ policy: {}, before: ({ context }) => context.spins.note(false) });
  expect(functions).toEqual(expect.arrayContaining(PATH));
  // With `Atomics.pause` the hint is no function of this package.
  expect(functions.filter((each) => !each.endsWith('spinHint')).length).toBeLessThanOrEqual(28);
  expect(filesOf(functions).size).toBeLessThanOrEqual(12);
});
