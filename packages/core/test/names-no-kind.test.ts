// The core's code names no kind of primitive: each kind is a package above the core. Comments may name examples.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));
const KINDS =
  /mutex|rw_|rw-?lock|turnstile|capacitor|barrier|latch|broadcast|watchcell|seq-?lock|lazy|keyed|writer|buffers|@sluice\/(?!core\b)/i;
/** Names of the public interface: an error of the barrier, and a list of the report of a recovery. */
const PUBLIC = /BrokenBarrierError|SLUICE_BROKEN_BARRIER|buffersInterrupted/g;

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/(?<!:)\/\/.*/g, '');
}

test('no line of code of the core names a kind of primitive', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.generated.ts'),
  );
  const named = files.flatMap((file) =>
    withoutComments(readFileSync(join(SOURCES, file), 'utf8'))
      .split('\n')
      .filter((line) => KINDS.test(line.replaceAll(PUBLIC, '')))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(named).toEqual([]);
});
