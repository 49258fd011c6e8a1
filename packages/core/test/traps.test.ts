import { expect, test } from 'vitest';
import { contextOf } from '../src/arena/arena.ts';
import { catchTraps } from '../src/memory/traps.ts';
import { Arena, CorruptArenaError } from '../src/index.ts';
import { GATE, LINE } from '../src/kernel/layout.ts';
import { wasmKernel } from '../src/kernel/kernel.ts';
import { LINKED, TAKEN } from '../src/kernel/states.ts';
import { DEFAULT_POLICY } from '../src/api/waiting-policy.ts';
import { Semaphore } from '../src/semaphore/semaphore.ts';
import { enterChain, leaveLine, sleepInLine } from '../src/line/line.ts';
import { asElement, asLine } from '../src/kernel/addresses.ts';

test('loading a step with more parameters than the wrapper passes on throws', () => {
  const six = (a: number, b: number, c: number, d: number, e: number, f: number): number => a + b + c + d + e + f;
  const seven = (a: number, b: number, c: number, d: number, e: number, f: number, g: number): number =>
    six(a, b, c, d, e, f) + g;
  expect(catchTraps({ six }, [], '').six(1, 2, 3, 4, 5, 6)).toBe(21);
  expect(() => catchTraps({ seven }, [], '')).toThrow(
    RangeError('The step seven has 7 parameters, and at most 6 are passed on.'),
  );
  expect(catchTraps({ seven }, ['seven'], '').seven(1, 2, 3, 4, 5, 6, 7)).toBe(28);
  // Exports of WebAssembly count their parameters.
  expect(wasmKernel(new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true })).acquire).toHaveLength(5);
});

/** Draws a ticket whose element names a semaphore outside the memory. */
function damagedWait() {
  const sem = Semaphore.create(0, { arena: Arena.create({ maxPages: 8 }) });
  const context = contextOf(sem.arena);
  const { address, tag } = sem.handle;
  const at = context.lineState(asLine(address), tag, { recorded: true });
  context.refill();
  const element = context.kernel.acquire(at.block, at.tag, at.entry, 1, context.agent);
  expect(element).toBeGreaterThan(TAKEN);
  context.words.put32(element + LINE, 2 ** 30);
  return { context, at, element };
}

const spinning = { ...DEFAULT_POLICY, longTermThreshold: 2 };
const parking = { ...DEFAULT_POLICY, spinMicros: 0 };

test.each([
  ['a wait that spins', spinning],
  ['a wait that parks at once', parking],
])('%s throws a CorruptArenaError if its element refers to an address outside the memory', (_, policy) => {
  const { context, at, element } = damagedWait();
  expect(() => context.waiting.distance(asElement(element))).toThrow(WebAssembly.RuntimeError);
  expect(() => sleepInLine(context, at, asElement(element), policy, Infinity)).toThrow(CorruptArenaError);
});

test('entering a chain, and cancelling before and after it, throw a CorruptArenaError if the element refers to an address outside the memory', () => {
  const { context, at, element } = damagedWait();
  expect(() => enterChain(context, asElement(element))).toThrow(CorruptArenaError);
  expect(() => leaveLine(context, at, asElement(element))).toThrow(CorruptArenaError);
  context.words.put32(element + GATE, LINKED);
  expect(() => leaveLine(context, at, asElement(element))).toThrow(CorruptArenaError);
});
