import * as addressWait from '@sluice/address-wait';
import * as autoResetEvent from '@sluice/auto-reset-event';
import * as barrier from '@sluice/barrier';
import * as boundedBuffer from '@sluice/bounded-buffer';
import * as broadcast from '@sluice/broadcast';
import * as cache from '@sluice/cache';
import * as capacitor from '@sluice/capacitor';
import * as core from '@sluice/core';
import * as event from '@sluice/event';
import * as limit from '@sluice/limit';
import * as classics from '@sluice/classics';
import * as mutex from '@sluice/mutex';
import * as named from '@sluice/named';
import * as rwLock from '@sluice/rw-lock';
import * as semaphores from '@sluice/semaphores';
import * as seqLock from '@sluice/seq-lock';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chosen, PLACES_AND_TURNS, SUBJECTS } from '../src/subjects/index.mjs';

const PACKAGES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'address-wait': addressWait,
  'auto-reset-event': autoResetEvent,
  barrier,
  'bounded-buffer': boundedBuffer,
  broadcast,
  cache,
  capacitor,
  core,
  event,
  limit,
  classics,
  mutex,
  named,
  'rw-lock': rwLock,
  semaphores,
  'seq-lock': seqLock,
};
/** `sluice` and `inspect` have no primitives of their own. Redis and the pool are primitives of the main thread, in separate files. */
const OTHERS = ['inspect', 'local', 'postgres', 'redis', 'remote', 'sluice', 'worker-pool'];
/** The memory, and exports that are no primitives. */
const NO_PRIMITIVES = ['Arena', 'Region'];

test('every package has primitives in the soak', () => {
  const directories = readdirSync(new URL('../../../packages', import.meta.url)).filter(
    (name) => !name.startsWith('.'),
  );
  expect([...Object.keys(PACKAGES), ...OTHERS].sort()).toEqual(directories.sort());
});

test.each(Object.entries(PACKAGES))('every primitive of %s is in the soak', (_name, exported) => {
  const primitives = Object.entries(exported).filter(
    ([, value]) => typeof value === 'function' && 'create' in value && 'from' in value,
  );
  const covered = [...SUBJECTS.flatMap(({ covers }) => covers), ...NO_PRIMITIVES];
  expect(primitives.map(([name]) => name).filter((name) => !covered.includes(name))).toEqual([]);
});

test('no two primitives of the soak have the same name', () => {
  const names = SUBJECTS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('all primitives of the profile places-and-turns exist', () => {
  const names = SUBJECTS.map(({ name }) => name);
  expect(PLACES_AND_TURNS.filter((name) => !names.includes(name))).toEqual([]);
});

test('primitives are selected by name, by class and by package', () => {
  const names = (...wanted: string[]): string[] => chosen(wanted, SUBJECTS).map(({ name }) => name);
  expect(names()).toHaveLength(SUBJECTS.length);
  expect(names('Mutex')).toEqual(['Mutex(turns)', 'Mutex(fifo)']);
  expect(names('Mutex(fifo)', 'rw-lock')).toEqual(['Mutex(fifo)', 'RwLock(turns)', 'RwLock(fifo)']);
  expect(() => names('Mutexes')).toThrow(
    'There is no primitive Mutexes. The primitives and packages: Semaphore(1), Semaphore, core,',
  );
});
