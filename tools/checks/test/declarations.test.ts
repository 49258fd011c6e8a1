import { expect, test } from 'vitest';
import { readModules } from '../../../scripts/declarations/module.mjs';
import { print } from '../../../scripts/declarations/print.mjs';
import { reachable } from '../../../scripts/declarations/reach.mjs';

const ENTRIES = [
  { name: 'index', source: 'index', isPublic: true },
  { name: 'internal', source: 'internal', isPublic: false },
];

/** Returns the declaration files of a package with these sources. */
function declared(sources: Readonly<Record<string, string>>): Record<string, string> {
  const texts = new Map(
    Object.entries({ internal: '', ...sources }).map(([path, text]) => [`/p/src/${path}.ts`, text]),
  );
  const modules = readModules('/p/src', texts, ENTRIES);
  const shown = reachable(modules, ['index']);
  const all = reachable(modules, ['index', 'internal']);
  return Object.fromEntries(print({ modules, entries: ENTRIES, shown, all }));
}

test('a source file has one declaration file with its name, and an entry names it', () => {
  const files = declared({
    index: "export { Gate, type GateOptions } from './gate.ts';",
    gate: "import type { Place } from './deep/place.ts';\nexport interface GateOptions {\n    place: Place;\n}\nexport declare class Gate {\n}\n",
    'deep/place': 'export type Place = number;\nexport type Unused = string;\n',
  });
  expect(files).toEqual({
    'index.d.cts': "export { Gate, type GateOptions } from './types/gate.cjs';\n",
    'internal.d.cts': 'export {};\n',
    'types/gate.d.cts':
      "import type { Place } from './deep/place.cjs';\nexport interface GateOptions {\n    place: Place;\n}\nexport declare class Gate {\n}\n",
    'types/deep/place.d.cts': 'export type Place = number;\n',
  });
});

test('a public class has a file with its own name, and errors share one', () => {
  const files = declared({
    index: "export { ReadLock, WriteLock, LateError } from './sides.ts';",
    sides:
      'interface Side {\n}\nexport declare class ReadLock implements Side {\n}\nexport declare class WriteLock implements Side {\n}\nexport declare class LateError extends Error {\n}\n',
  });
  expect(
    Object.keys(files)
      .filter((name) => name.startsWith('types/'))
      .sort(),
  ).toEqual(['types/read-lock.d.cts', 'types/sides.d.cts', 'types/write-lock.d.cts']);
  expect(files['types/read-lock.d.cts']).toBe(
    "import type { Side } from './sides.cjs';\nexport declare class ReadLock implements Side {\n}\n",
  );
  expect(files['types/sides.d.cts']).toContain('export interface Side');
  expect(files['types/sides.d.cts']).toContain('LateError');
});

test('a declaration that only other packages use is in a separate file', () => {
  const files = declared({
    index: "export { Gate } from './gate.ts';",
    internal: "export { gateAt } from './gate.ts';",
    gate: 'export declare class Gate {\n}\nexport declare function gateAt(place: number): Gate;\n',
  });
  expect(files['types/gate.d.cts']).toBe('export declare class Gate {\n}\n');
  expect(files['types/gate.internal.d.cts']).toBe(
    "import type { Gate } from './gate.cjs';\nexport declare function gateAt(place: number): Gate;\n",
  );
  expect(files['internal.d.cts']).toBe("export { gateAt } from './types/gate.internal.cjs';\n");
});

test('a class without subclasses shows no protected member and stays different from other classes', () => {
  const files = declared({
    index: "export { Gate } from './gate.ts';",
    gate: "import type { Deep } from './deep.ts';\nexport declare class Gate {\n    private constructor();\n    /** Hidden. */\n    protected deep(): Deep;\n    [INSPECT](): string;\n    open(): void;\n}\n",
    deep: 'export type Deep = 1;\n',
  });
  expect(files['types/gate.d.cts']).toBe(
    'export declare class Gate {\n    private constructor();\n    #private;\n    open(): void;\n}\n',
  );
  expect(files).not.toHaveProperty(['types/deep.d.cts']);
});

test('a base class for other packages keeps its protected members, without those that its subclasses hide', () => {
  const files = declared({
    index: "export { Gate } from './gate.ts';",
    internal: "export { Base } from './base.ts';",
    gate: "import { Base } from './base.ts';\nexport declare class Gate extends Base {\n    private constructor();\n    protected enter(): void;\n    protected visit(): number;\n}\n",
    base: 'export declare abstract class Base {\n    protected abstract visit(): number;\n}\n',
  });
  expect(files['types/base.d.cts']).toContain('protected visit(): number;');
  expect(files['types/gate.d.cts']).not.toContain('visit');
});

test('comments stay at public declarations', () => {
  const files = declared({
    index: "export { open } from './open.ts';",
    open: "import type { Inner } from './inner.ts';\n/** Opens. */\nexport declare function open(inner: Inner): void;\n",
    inner: '/** For readers of the sources. */\nexport interface Inner {\n    /** This, too. */\n    a: number;\n}\n',
  });
  expect(files['types/open.d.cts']).toContain('/** Opens. */');
  expect(files['types/inner.d.cts']).toBe('export interface Inner {\n    a: number;\n}\n');
});

test('two declarations never share a file', () => {
  const sources = {
    index: "export { ReadLock } from './sides.ts';\nexport { other } from './read-lock.ts';",
    sides: 'export declare class ReadLock {\n}\n',
    'read-lock': 'export declare const other: 1;\n',
  };
  expect(() => declared(sources)).toThrow('types/read-lock.d.cts would have the declarations of two source files');
});
