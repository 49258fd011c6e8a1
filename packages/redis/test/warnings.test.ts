// Tests that a process warns once of each dangerous setting of the server, and that a program can take the warnings.

import { expect, vi } from 'vitest';
import { connect } from '@sluice/redis';
import { clientOf, onServer } from './support/server.ts';

onServer(
  'a server without persistence',
  (it) => {
    it('is warned of once by console.warn, and each time by onWarning', async ({ url, namespace }) => {
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
      try {
        for (const library of ['redis', 'ioredis'] as const)
          await (await connect(clientOf(library, url), { namespace })).close();
        const told: string[] = [];
        const onWarning = (warning: string): void => void told.push(warning);
        for (const library of ['redis', 'ioredis'] as const)
          await (await connect(clientOf(library, url), { namespace, onWarning })).close();
        expect(told).toHaveLength(2);
        expect(told[0]).toMatch(/^The server has neither an append-only file nor a replica/);
        expect(warn.mock.calls).toEqual([
          [`@sluice/redis: ${told[0]} Pass onWarning to connect to handle or silence this warning.`],
        ]);
      } finally {
        warn.mockRestore();
      }
    });
  },
  { own: true, args: ['--appendonly', 'no'] },
);
