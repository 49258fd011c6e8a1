import { expect, test } from 'vitest';
import { circlesOf, importsOf } from '../src/circles.mjs';

const circles = (graph: Record<string, readonly string[]>): string[][] => circlesOf(new Map(Object.entries(graph)));

test('a graph whose arrows only go down has no circle', () => {
  expect(circles({ a: ['b', 'c'], b: ['c'], c: [] })).toEqual([]);
});

test('two files that import each other are a circle, without a file that only imports them', () => {
  expect(circles({ a: ['b'], b: ['c'], c: ['b', 'd'], d: [] })).toEqual([['b', 'c']]);
});

test('circles that share a file are reported as one, and the largest circle comes first', () => {
  expect(circles({ x: ['y'], y: ['x'], a: ['b'], b: ['a', 'c'], c: ['b'] })).toEqual([
    ['a', 'b', 'c'],
    ['x', 'y'],
  ]);
});

test('an arrow into a circle that was already found belongs to no circle', () => {
  expect(circles({ a: ['b'], b: ['a'], c: ['a'] })).toEqual([['a', 'b']]);
});

test('type imports and dynamic imports count, but packages and unknown files do not', () => {
  const sources = [
    { file: '/src/a.ts', text: `import type { B } from './b.ts'; import x from 'package'; import './gone.ts';` },
    { file: '/src/b.ts', text: `export const later = () => import('./deep/c.ts');` },
    { file: '/src/deep/c.ts', text: `export * from '../a.ts';` },
  ];
  expect(circlesOf(importsOf(sources))).toEqual([['/src/a.ts', '/src/b.ts', '/src/deep/c.ts']]);
});
