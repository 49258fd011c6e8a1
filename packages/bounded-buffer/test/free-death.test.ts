// Agents that die while they free a buffer: either the buffer is unchanged, or it is freed for all agents.

import { MisuseError } from '@sluice/core';
import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { ALL_DEEDS } from '../../core/test/support/crash-run.ts';
import { outlives } from '../../core/test/support/crash-stage.ts';
import type { BoundedBuffer } from '../src/index.ts';
import { expectQuiet } from './support/rest.ts';
import { Scene, SCENES } from './support/scene.ts';

const STATES = SCENES.flatMap((scene) =>
  [false, true].map((closed) => ({ ...scene, closed, state: closed ? 'closed' : 'open' })),
);

test.each(STATES)(
  'the death of an agent in free(), $state, leaves the buffer unchanged or freed: $title',
  async ({ way, engine, closed }) => {
    let freed = 0;
    for (let deed = 0, lived = false; !lived; deed++) {
      const scene = new Scene(engine, way, 2);
      const { buffer } = scene.first;
      const dies = scene.join();
      buffer.push(1);
      if (closed) buffer.close();
      lived = await outlives(dies.life, () => dies.buffer.free(), ALL_DEEDS, deed);
      const { buffersInterrupted } = await scene.bury(dies);
      const isThere = !isFreed(buffer);
      expect(buffersInterrupted.length).toBeLessThanOrEqual(isThere ? 1 : 0);
      if (isThere) {
        expect(buffer.pop()).toBe(1);
        expectQuiet(buffer);
        continue;
      }
      freed += 1;
      for (const use of [
        () => buffer.tryPop(),
        () => buffer.tryPopMany(),
        () => buffer.tryPush(2),
        () => buffer.inspect(),
      ]) {
        expect(use, `dead after ${deed} deeds`).toThrow(MisuseError);
      }
    }
    expect(freed).toBeGreaterThan(1);
  },
);

test.each(SCENES)(
  'reclaim() reports a buffer once if its dead freer had both locks: $title',
  async ({ way, engine }) => {
    const scene = new Scene(engine, way, 2);
    const dies = scene.join();
    scene.dieBefore('retire', dies, () => dies.buffer.free());
    const { handle } = scene.first.buffer;
    expect(await scene.bury(dies)).toMatchObject({ buffersInterrupted: [{ name: 'scene', address: handle.address }] });
    expectQuiet(scene.first.buffer);
  },
);

test.each(SCENES)(
  "a wait that was served before its buffer's freer died fails and takes nothing: $title",
  async ({ way, engine }) => {
    for (let deed = 0, lived = false; !lived; deed++) {
      const scene = new Scene(engine, way, 2);
      const { buffer } = scene.first;
      const dies = scene.join();
      const wait = scene.wait(buffer.popAsync());
      buffer.push(1);
      buffer.close();
      lived = await outlives(dies.life, () => dies.buffer.free(), ALL_DEEDS, deed);
      await scene.bury(dies);
      const { outcome } = wait;
      if (isFreed(buffer)) expect(outcome).toMatchObject({ failed: { code: 'SLUICE_CLOSED' } });
      else expect(outcome).toEqual({ got: 1 });
    }
  },
);

function isFreed(buffer: BoundedBuffer<number>): boolean {
  try {
    return buffer.name !== 'scene';
  } catch {
    return true;
  }
}
