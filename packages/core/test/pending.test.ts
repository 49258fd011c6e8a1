// Tests recoveries that are left to other agents, at lines of a kind that only this test has.

import { expect, test } from 'vitest';
import './support/crash-injection.ts';
import { createPrimitive } from '../src/primitive/block.ts';
import { finishPending } from '../src/recovery/claim-dead-agent.ts';
import { Region } from '../src/index.ts';
import {
  AGENT_DUTY_KIND,
  AGENT_STATE,
  AGENT_STUB,
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_TAG,
  ENTRY_HELD,
  ENTRY_LINE,
  ENTRY_TAG,
  FLAG_RECOVERY,
  FLAGS,
  GATE,
  HEADER_PENDING,
  OWNER,
  LINE,
  TAG,
} from '../src/kernel/layout.ts';
import { CLOSED, FREE, PARKED, QUEUED, SHUT, WAITING } from '../src/kernel/states.ts';
import { kindCode, type Kind } from '../src/agent/kind.ts';
import { World, type Agent } from './support/crash-world.ts';
import { asElement } from '../src/kernel/addresses.ts';

const NO_STEPS = { entry: 'toy', id: 'toy', text: '', uncontended: [] };

/** A kind whose waits end with FREE, and whose permits vanish. */
function toy(restored: number[] = []): Kind<object> {
  return {
    name: 'toy',
    code: kindCode('toy'),
    kernel: NO_STEPS,
    title: 'toy',
    steps: (kernel, { words }) => ({
      poll: () => WAITING,
      park: kernel.park,
      cancel: (_, element, _entry, dead) => {
        if (dead === 0) return WAITING;
        words.store32(element + GATE, FREE);
        return SHUT;
      },
      restore: (_, entry) => {
        const held = Number(words.get64(entry + ENTRY_HELD));
        restored.push(held);
        words.put64(entry + ENTRY_HELD, 0n);
        return held;
      },
    }),
  };
}

/** Creates a victim, two agents that have loaded no kind, and a primitive of the kind. */
function newScene() {
  const world = new World({ engine: 'js' });
  const [living, bare, other, victim] = [0, 1, 2, 3].map(() => world.join(undefined, false)) as [
    Agent,
    Agent,
    Agent,
    Agent,
  ];
  const ref = createPrimitive(living.arena, kindCode('toy'), BLOCK_LINE, 'toy', (words, block) =>
    words.put32(block + FLAGS, FLAG_RECOVERY),
  );
  return { world, living, bare, other, victim, ...ref };
}

/** Loads the kind without a kernel of its own. */
function load({ context }: Agent, restored?: number[]): void {
  Object.defineProperty(context, 'kindWith', {
    value: (code: number) => (code === kindCode('toy') ? loaded : undefined),
  });
  const kind = toy(restored);
  const loaded = { kind, kernel: context.kernel, steps: kind.steps(context.kernel, context) };
}

type Scene = ReturnType<typeof newScene>;

function makeElement({ victim: { context }, address, tag }: Scene, gate: number, at = context.takeElement(0)): number {
  context.words.put32(at + LINE, address);
  context.words.put32(at + TAG, tag);
  context.words.store32(at + GATE, gate);
  return at;
}

/** Kills the victim. Two agents without the kind recover it in turns. Returns how often waiters were told. */
function bury({ victim, bare, other, world }: Scene): { readonly pending: number; readonly told: number } {
  victim.life.die();
  const { pending } = bare.arena.reclaim(victim.context.id);
  for (let turns = 0; turns < 5; turns++) for (const { context } of [other, bare]) finishPending(context);
  return { pending: pending.length, told: world.words.load32(HEADER_PENDING) };
}

test('an entry of an unloaded kind without permits is not left to other agents', () => {
  const scene = newScene();
  const { victim, address, tag, world } = scene;
  victim.context.lineState(address, tag, { recorded: true });
  expect(bury(scene)).toEqual({ pending: 0, told: 0 });
  expect(world.words.load32(victim.context.agent + OWNER)).toBe(0);
});

test('an entry with permits is left to an agent with the kind, which restores the permits once', () => {
  const scene = newScene();
  const { victim, living, address, tag, world } = scene;
  const { entry } = victim.context.lineState(address, tag, { recorded: true });
  world.words.put64(entry + ENTRY_HELD, 3n);
  expect(bury(scene)).toEqual({ pending: 1, told: 1 });
  const restored: number[] = [];
  load(living, restored);
  expect(living.arena.reclaimDead()).toMatchObject([{ permits: [{ name: 'toy', permits: 3 }], pending: [] }]);
  expect(living.arena.reclaimDead()).toEqual([]);
  expect(restored.filter((held) => held !== 0)).toEqual([3]);
  expect(world.words.load32(victim.context.agent + OWNER)).toBe(0);
});

test('the entry of a wait that was granted a permit stays until an agent with the kind recovers it', () => {
  const scene = newScene();
  const { victim, living, address, tag, world } = scene;
  const { entry } = victim.context.lineState(address, tag, { recorded: true });
  const element = makeElement(scene, PARKED);
  expect(bury(scene)).toEqual({ pending: 1, told: 1 });
  expect([world.words.get32(entry + ENTRY_LINE), world.words.get32(entry + ENTRY_TAG)]).toEqual([address, tag]);
  load(living);
  expect(living.arena.reclaimDead()).toHaveLength(1);
  expect(world.words.load32(element + OWNER)).toBe(0);
  expect(world.words.load32(victim.context.agent + OWNER)).toBe(0);
});

// Otherwise agents that cannot finish a recovery would take the record in turns and wake each other forever.
test.each([
  ['waits', (scene: Scene) => makeElement(scene, PARKED)],
  [
    'was told that the primitive is closed',
    (scene: Scene) => {
      scene.world.words.store32(scene.address + BLOCK_TAG, -scene.tag);
      return makeElement(scene, CLOSED);
    },
  ],
  [
    'has a ticket and no element',
    (scene: Scene) => makeElement(scene, QUEUED, asElement(scene.victim.context.agent + AGENT_STUB)),
  ],
])('two agents without the kind of a dead agent that %s do not tell each other repeatedly', (_, prepare) => {
  const scene = newScene();
  prepare(scene);
  expect(bury(scene)).toEqual({ pending: 1, told: 1 });
  const { living, victim, world } = scene;
  load(living);
  expect(living.arena.reclaimDead()).toHaveLength(1);
  expect([
    world.words.load32(victim.context.agent + OWNER),
    world.words.load32(victim.context.agent + AGENT_STATE),
  ]).toEqual([0, 0]);
});

test('an agent without the kind recovers a dead agent that had recorded only the kind of its next walk', () => {
  const scene = newScene();
  const { victim, world } = scene;
  world.words.put32(victim.context.agent + AGENT_DUTY_KIND, kindCode('toy'));
  expect(bury(scene)).toEqual({ pending: 0, told: 0 });
  expect([
    world.words.load32(victim.context.agent + OWNER),
    world.words.get32(victim.context.agent + AGENT_DUTY_KIND),
  ]).toEqual([0, 0]);
});

test('an entry of a freed primitive is not left to other agents, even if a region has its memory now', () => {
  const scene = newScene();
  const { victim, living, address, tag, world } = scene;
  const { entry } = victim.context.lineState(address, tag, { recorded: true });
  const { handle } = Region.create(4 * BLOCK_LINE, { arena: living.arena });
  const line = handle.address + BLOCK_LINE;
  for (const [word, value] of [
    [BLOCK_TAG, tag],
    [BLOCK_KIND, kindCode('toy')],
  ] as const)
    world.words.put32(line + word, value);
  world.words.put32(entry + ENTRY_LINE, line);
  world.words.put64(entry + ENTRY_HELD, 1n);
  expect(bury(scene)).toEqual({ pending: 0, told: 0 });
});

test('an agent without the kind finishes the recovery if the primitive was freed meanwhile', () => {
  const scene = newScene();
  const { victim, bare, address, world } = scene;
  makeElement(scene, PARKED);
  expect(bury(scene)).toEqual({ pending: 1, told: 1 });
  world.words.store32(address + BLOCK_TAG, 0);
  expect(bare.arena.reclaimDead()).toMatchObject([{ pending: [] }]);
  expect(world.words.load32(victim.context.agent + OWNER)).toBe(0);
});
