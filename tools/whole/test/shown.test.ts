// Tests the display of an instance: one line in a console, nothing of the kernel, and an error when it is posted.

import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { call, methodsOf, SAMPLES } from './samples.ts';

describe('console.log of', () => {
  test.each(SAMPLES)('$name is one line that begins with the name of its class', ({ name, make }) => {
    const line = inspect(make());
    expect(line).not.toContain('\n');
    expect(line.length).toBeLessThan(200);
    const className = {
      'Semaphore.asLock()': 'PermitLock',
      'createLimit()': 'Limit',
      ReaderLock: 'RwLock.reader',
      WriterLock: 'RwLock.writer',
    }[name];
    expect(line).toMatch(new RegExp(`^${className ?? name.split(' ')[0] ?? ''} \\{ .* \\}$`));
  });

  test.each(SAMPLES.filter(({ make }) => methodsOf(make()).includes('free')))(
    '$name shows that it was freed, and never throws',
    ({ name, make }) => {
      const instance = make();
      call(instance, 'free');
      expect(inspect(instance)).toMatch(/\{ freed: true \}$/);
      if (name !== 'CapacitorLock with random lanes')
        expect((instance as { toString(): string }).toString()).toMatch(/ \(freed\)$/);
    },
  );

  test.each(SAMPLES.filter(({ make }) => methodsOf(make()).includes('close')))(
    '$name shows that it was closed',
    ({ make }) => {
      const instance = make();
      call(instance, 'close');
      expect(inspect(instance)).toMatch(/closed: true \}$/);
    },
  );

  test('a name with line breaks and quotes stays on one line', () => {
    const [{ make } = { make: () => ({}) }] = SAMPLES.filter(({ name }) => name === 'Mutex');
    const { constructor } = make() as { constructor: { create(options: object): object } };
    expect(inspect(constructor.create({ name: 'a\n"b"' }))).toBe(`Mutex { name: 'a\\n"b"', owner: 0, waiting: 0 }`);
  });

  test('a guard shows its lock, in double quotes because the name has single quotes', () => {
    const [{ make } = { make: () => ({}) }] = SAMPLES.filter(({ name }) => name === 'Mutex');
    const mutex = make() as { hold(): { release(): void } };
    const guard = mutex.hold();
    expect(inspect(guard)).toBe(`Guard { held: true, of: "Mutex 'sample'" }`);
    guard.release();
    expect(inspect(guard)).toBe('Guard { held: false }');
  });

  test('a mutex shows its owner', () => {
    const [{ make } = { make: () => ({}) }] = SAMPLES.filter(({ name }) => name === 'Mutex');
    const mutex = make() as { lock(): void; unlock(): void; arena: { agentId: number } };
    mutex.lock();
    expect(inspect(mutex)).toBe(`Mutex { name: 'sample', owner: ${mutex.arena.agentId}, waiting: 0 }`);
    mutex.unlock();
  });
});

describe('an instance of', () => {
  test.each(SAMPLES)('$name throws when it is posted', ({ name, make }) => {
    const instance = make();
    const post = (): unknown => structuredClone(instance);
    expect(post).toThrow(expect.objectContaining({ name: 'DataCloneError' }));
    if (name !== 'createLimit()') expect(post).toThrow('post its handle');
  });

  test.each(SAMPLES)('$name shows no function except its methods, and no object with one', ({ make }) => {
    const instance = make() as Record<string, unknown>;
    const seen = Object.keys(instance).filter((name) => isOfTheKernel(instance[name]));
    expect([seen, 'post' in instance]).toEqual([[], false]);
  });
});

/** Handles are plain objects, and the sides of a lock instances themselves. */
function isOfTheKernel(value: unknown): boolean {
  if (typeof value === 'function') return true;
  if (typeof value !== 'object' || value === null) return false;
  return ['kernel', 'context', 'words', 'place'].some((name) => Object.hasOwn(value, name));
}
