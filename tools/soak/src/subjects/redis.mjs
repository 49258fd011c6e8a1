// @ts-check
// A semaphore of a Redis server, behind a bridge that all workers use. The main thread alone has a client.
import { Arena } from '@sluice/core';
import { connect } from '@sluice/redis';
import { findServer, startServer } from '@sluice/redis-server';
import { createClient } from 'redis';
import { BRIDGED, openBridged, PERMITS } from './bridged.mjs';
import { unless } from './subject.mjs';

/** @import { Subject } from './subject.mjs' */

/** Longer than any pause of the process, so no lease ends: only recovery returns what a killed worker held. */
const LEASE_MS = 3_600_000;

/** Returns why there is no server, or undefined if there is one. */
export function whyNoServer() {
  const found = findServer();
  return found.kind === 'none' ? found.why : undefined;
}

/** @type {Subject} */
export const REDIS = {
  name: BRIDGED,
  group: 'redis',
  covers: ['connect'],
  blocks: 0,
  create: async () => {
    const found = findServer();
    const server = found.kind === 'program' ? await startServer({ program: found }) : undefined;
    const url = found.kind === 'url' ? found.url : (server?.url ?? '');
    const arena = Arena.create({ maxPages: 256 });
    const space = await connect(createClient({ url }), {
      namespace: `soak-${process.pid}`,
      lease: LEASE_MS,
      onWarning: () => undefined,
    });
    const remote = space.semaphore('soak', PERMITS);
    const bridge = space.bridge(remote, { arena, linger: 50 });
    return {
      handles: bridge.handle,
      arena,
      problems: async () => {
        // The bridge may have one wait of its own in the arena: it waits for the request of a worker.
        const isAlone = arena.inspect().elements.waiting <= 1;
        return unless(BRIDGED, { waiting: await remote.waiting, isAlone }, { waiting: 0, isAlone: true });
      },
      free: () => undefined,
      end: async () => {
        await space.close();
        await server?.stop();
      },
    };
  },
  open: openBridged,
};
