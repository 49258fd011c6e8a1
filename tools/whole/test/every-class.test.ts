import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PACKAGES, SAMPLES, WITHOUT_SAMPLE } from './samples.ts';

/**
 * The worker pool runs only on Node.js, and primitives between processes have no arena. These packages test their own classes.
 * `sluice` has no class of its own.
 */
const OTHERS = ['local', 'postgres', 'redis', 'remote', 'sluice', 'worker-pool'];

describe('the samples', () => {
  test('cover every package', () => {
    const directories = readdirSync(new URL('../../../packages', import.meta.url)).filter(
      (name) => !name.startsWith('.'),
    );
    expect([...Object.keys(PACKAGES), ...OTHERS].sort()).toEqual(directories.sort());
  });

  test.each(Object.entries(PACKAGES))('cover every class that %s exports', (_name, exported) => {
    const classes = Object.entries(exported).filter(([name, value]) => isClass(value) && !name.endsWith('Error'));
    const known = [...SAMPLES.map(({ name }) => name), ...WITHOUT_SAMPLE];
    expect(classes.map(([name]) => name).filter((name) => !known.includes(name))).toEqual([]);
  });

  test.each(SAMPLES)('$name can be created', ({ make }) => {
    expect(['object', 'function']).toContain(typeof make());
  });
});

function isClass(value: unknown): boolean {
  return typeof value === 'function' && Function.prototype.toString.call(value).startsWith('class');
}
