// Tests the promises of every async wait about its timeout and its signal.

import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { ending, rejection, turn } from './observe.ts';
import type { SuiteWaitOptions } from './types.ts';

/** An object that async calls wait for and that is not available yet. */
export interface AwaitedThing {
  wait(options?: SuiteWaitOptions): Promise<unknown>;
  /** Lets one wait through: a pending wait, or else the next one. */
  grant(): void | Promise<void>;
}

export type CreateThing = () => AwaitedThing | Promise<AwaitedThing>;

/**
 * Timeouts with fractions of a millisecond, several of each. A timer that truncates or rounds them is early by a
 * fraction that differs from call to call.
 */
const TIMEOUTS_MS = [0.3, 1.2, 2.9, 5.6, 19.9].flatMap((timeout) => [timeout, timeout, timeout]);
const WAITS = 20;

/** Declares the suite. `create` makes a new thing, with nothing granted, for each test. */
export function asyncWaitSuite(name: string, create: CreateThing, options: AsyncWaitOptions = {}): void {
  describe(`${name} as an async wait`, () => asyncWaits(create, options));
}

/** Declares the tests of the suite. */
export function asyncWaits(create: CreateThing, { reentrant = false, staged = false }: AsyncWaitOptions = {}): void {
  const suite = { create, reentrant, staged };
  neverEarly(suite);
  refusedSignals(suite);
  brokenSignals(suite);
  sharedListener(suite);
}

interface Suite {
  readonly create: CreateThing;
  readonly reentrant: boolean;
  readonly staged: boolean;
}

export interface AsyncWaitOptions {
  /** Whether an agent that was let through once is let through again. Default: false. */
  readonly reentrant?: boolean;
  /**
   * Whether a wait consists of two waits in sequence, each with the signal. An abort between them ends the wait.
   * Default: false.
   */
  readonly staged?: boolean;
}

function neverEarly({ create, reentrant }: Suite): void {
  test('a wait times out no earlier than its timeout', async () => {
    const thing = await create();
    const early = await Promise.all(
      TIMEOUTS_MS.map(async (timeout) => {
        const began = performance.now();
        expect(await rejection(thing.wait({ timeout }))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
        return Math.max(0, timeout - (performance.now() - began));
      }),
    );
    expect(Math.max(...early)).toBe(0);
    await expectOneGrant(thing, reentrant);
  });
}

/** Expects that earlier waits left no trace: one grant lets exactly one wait through. */
async function expectOneGrant(thing: AwaitedThing, reentrant: boolean): Promise<void> {
  await thing.grant();
  await thing.wait();
  if (!reentrant) expect(await rejection(thing.wait({ timeout: 0 }))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
}

function fail(): never {
  throw new Error('This signal is broken.');
}

const plain = { aborted: false, addEventListener: () => undefined, removeEventListener: () => undefined };

const REFUSED: readonly (readonly [string, object])[] = [
  ['has no addEventListener', { ...plain, addEventListener: undefined }],
  ['has no removeEventListener', { ...plain, removeEventListener: undefined }],
  ['has no aborted', { ...plain, aborted: undefined }],
  ['throws when aborted is read', Object.defineProperty({ ...plain }, 'aborted', { get: fail })],
  ['throws when addEventListener is read', Object.defineProperty({ ...plain }, 'addEventListener', { get: fail })],
  [
    'throws when removeEventListener is read',
    Object.defineProperty({ ...plain }, 'removeEventListener', { get: fail }),
  ],
  ['throws from addEventListener', { ...plain, addEventListener: fail }],
  ['throws from removeEventListener', { ...plain, removeEventListener: fail }],
  [
    'is aborted and throws when its reason is read',
    Object.defineProperty({ ...plain, aborted: true }, 'reason', { get: fail }),
  ],
];

function refusedSignals({ create, reentrant }: Suite): void {
  test.each(REFUSED)('a signal that %s rejects with a TypeError, and nothing waits', async (_, signal) => {
    const thing = await create();
    expect(await rejection(thing.wait({ signal: signal as AbortSignal }))).toBeInstanceOf(TypeError);
    await expectOneGrant(thing, reentrant);
  });

  test('a signal without throwIfAborted and without a reason aborts with an AbortError', async () => {
    const thing = await create();
    expect(
      await rejection(thing.wait({ signal: { ...plain, aborted: true } as unknown as AbortSignal })),
    ).toMatchObject({ name: 'AbortError' });
    await expectOneGrant(thing, reentrant);
  });
}

function brokenSignals({ create, reentrant, staged }: Suite): void {
  test.skipIf(staged)('a signal that cannot remove its listener does not change how the wait ends', async () => {
    const thing = await create();
    let isBroken = false;
    const signal = { ...plain, removeEventListener: () => isBroken && fail() } as unknown as AbortSignal;
    const wait = thing.wait({ signal });
    const late = rejection(thing.wait({ signal, timeout: 1 }));
    isBroken = true;
    expect(await late).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    await thing.grant();
    await wait;
    if (!reentrant) expect(await rejection(thing.wait({ timeout: 0 }))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
  });

  test('a signal whose reason cannot be read ends the wait with a TypeError', async () => {
    const thing = await create();
    const signal = Object.defineProperty(new EventTarget(), 'reason', { get: fail });
    let aborted = false;
    Object.defineProperty(signal, 'aborted', { get: () => aborted });
    const wait = rejection(thing.wait({ signal: signal as AbortSignal }));
    aborted = true;
    signal.dispatchEvent(new Event('abort'));
    expect(await wait).toBeInstanceOf(TypeError);
    await expectOneGrant(thing, reentrant);
  });
}

function sharedListener({ create, reentrant }: Suite): void {
  test('many waits with one signal add one listener to it, and remove it at the end', async () => {
    const thing = await create();
    const controller = new AbortController();
    const { signal } = controller;
    const waits = Array.from({ length: WAITS }, () => ending(thing.wait({ signal })));
    await turn();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    controller.abort('enough');
    expect(await Promise.all(waits)).toEqual(Array.from({ length: WAITS }, () => ({ reason: 'enough' })));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await expectOneGrant(thing, reentrant);
  });

  test('an admitted wait leaves no listener behind', async () => {
    const thing = await create();
    const { signal } = new AbortController();
    const wait = thing.wait({ signal });
    await thing.grant();
    await wait;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
}
