// Runs the suite of every engine between the spaces of one machine: at the member that serves, and at others.

import { describe, test } from 'vitest';
import { engineSuite, type EngineGround } from '../../remote/test/engine-suite.ts';
import { makeOpen } from './support/spaces.ts';

describe.each(['the member that serves', 'another member'])('a space of %s', (which) => {
  const ground = (): EngineGround => {
    const open = makeOpen();
    const isServed = which === 'another member';
    let serving: Promise<unknown> | undefined;
    return {
      isServed,
      open: async (options) => {
        if (isServed) await (serving ??= open({ name: 'ground' }));
        return open(options);
      },
    };
  };

  const it = (name: string, body: (ground: EngineGround) => Promise<void>): void => {
    test(name, () => body(ground()));
  };
  engineSuite({ it, ground });
});
