import { expect, test } from 'vitest';
import type { WaitingPolicy } from '../../core/src/index.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import { filesOf, functionsOf, POLICY } from '../../core/test/support/functions-of.ts';
import { BoundedBuffer } from '../src/index.ts';

/** The functions of a `push` into a full buffer. Another agent makes room. */
function functionsOfPush(policy: Partial<WaitingPolicy>, prepare?: (agent: Agent) => void): string[] {
  const world = new World({ engine: 'wasm', pages: 4, policy });
  const [agent, other] = [world.join(), world.join()];
  const othersBuffer = BoundedBuffer.create<number>({ arena: other.arena, capacity: 1 });
  const buffer = BoundedBuffer.from<number>(world.handle(othersBuffer.handle, agent));
  othersBuffer.push(1);
  agent.context.refill();
  prepare?.(agent);
  const functions = functionsOf(
    () => buffer.push(2),
    () => expect(othersBuffer.pop()).toBe(1),
  );
  expect(othersBuffer.pop()).toBe(2);
  return functions;
}

test('a contended push', () => {
  const functions = functionsOfPush(POLICY);
  console.log(functions.join('\n'), functions.length, filesOf(functions).size);
});

test('spins not pay', () => {
  const functions = functionsOfPush({}, ({ context }) => context.spins.note(false));
  console.log(functions.join('\n'), functions.length, filesOf(functions).size);
});
test('default', () => {
  const functions = functionsOfPush({});
  console.log(functions.join('\n'), functions.length, filesOf(functions).size);
});
