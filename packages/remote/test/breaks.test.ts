// Tests a connection that breaks while a session begins.

import { expect, test } from 'vitest';
import { Interrupted, type RemoteEngine, type Listener } from '../src/engine/engine.ts';
import { PLATFORM } from '../src/engine/timing.ts';
import { Space } from '../src/space.ts';

/** An engine that knows a session only after its `attach`. */
class Ground implements RemoteEngine {
  readonly format = '1';
  readonly retryMs = 50;
  readonly steps: string[] = [];
  #attached = false;
  #onReady: () => void = () => undefined;
  answer: () => void = () => undefined;

  async run([operation = '']: readonly (string | number)[]): Promise<string[]> {
    this.steps.push(String(operation));
    if (operation === 'attach') {
      await new Promise<void>((resolve) => (this.answer = resolve));
      this.#attached = true;
      return ['attached'];
    }
    if (!this.#attached) return ['gone'];
    return operation === 'beat'
      ? ['alive', '1000']
      : operation === 'mine'
        ? ['mine']
        : ['looked', '1', '1', '0', '0', '0'];
  }

  listen(_session: string, _onMessage: (message: string) => void, onReady: () => void): Promise<Listener> {
    this.#onReady = onReady;
    return Promise.resolve({ close: () => undefined });
  }

  /** Another server answers from now on. */
  restore(): void {
    this.#onReady();
  }

  otherFormat(): Error {
    return new Interrupted('another format');
  }

  unreachable(cause: unknown): Error {
    return new Interrupted('unreachable', { cause });
  }

  close(): void {
    // There is no connection.
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a session whose connection breaks before it has begun asks for news afterwards, and is not lost', async () => {
  const engine = new Ground();
  const space = new Space({ namespace: 'breaks', lease: 10_000, label: '', engine, timing: PLATFORM });
  const opened = space.session();
  await turn();
  engine.restore();
  await turn();
  expect(engine.steps).toEqual(['attach']);
  engine.answer();
  const session = await opened;
  await turn();
  expect(engine.steps.slice(1)).toEqual(['beat', 'mine']);
  expect(session.ended).toBe(undefined);
  expect((await space.mutex('m').inspect()).available).toBe(1);
  await space.close();
});
