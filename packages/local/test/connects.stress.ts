// Processes and strangers that connect and disconnect leave nothing in the memory of the serving process.

import { byDepth, soak } from '@sluice/harness';
import { connect } from '@sluice/local';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Member, until } from '../../remote/test/faults/member.ts';
import { fileURLToPath } from 'node:url';
import { folderIn } from './support/children.ts';

/** The memory is compared after so many cycles and after all of them. Until then the engine compiles what they run. */
const FIRST = 1000;
const CYCLES = soak > 1 ? 10_000 : byDepth({ quick: 2000, ci: 2000, full: 10_000 });
/** Bytes of the heap that each cycle may leave. What a session has in memory takes more than a thousand. */
const MOST_PER_CYCLE = 64;
/** Bytes by which the heap differs between two moments in which nothing is left. */
const VARIES = 300_000;

const PROGRAM = fileURLToPath(new URL('children/server.mjs', import.meta.url));

/** A stranger connects, says something, and goes. */
function visit(path: string, text: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = createConnection({ path });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve());
    socket.once('connect', () => {
      socket.end(text);
      socket.resume();
    });
  });
}

test.skipIf(process.platform !== 'linux')(
  `${CYCLES} spaces and strangers come and go, and the serving process keeps nothing of them`,
  async () => {
    const runtime = mkdtempSync(join(tmpdir(), 'sluice-connects-'));
    const server = await Member.start(PROGRAM, [], { XDG_RUNTIME_DIR: runtime });
    process.env['XDG_RUNTIME_DIR'] = runtime;
    try {
      const path = folderIn(runtime);
      const [socket = ''] = readdirSync(path).filter((name) => name.endsWith('.sock'));
      const cycle = async (i: number): Promise<void> => {
        const space = await connect({ namespace: 'connects', lease: 600_000 });
        await space.mutex('m').runAsync(() => undefined);
        if (i % 2 === 0) await space.semaphore(`s${i % 8}`, 2).acquireAsync();
        await Promise.all([space.close(), visit(join(path, socket), i % 3 === 0 ? '["watch"]\n' : 'x\n')]);
      };
      const ask = async (what: string): Promise<number> => Number(await server.ask(`${what} now`));
      const files = await ask('files');
      const used = async (): Promise<number> => {
        await until(async () => (await ask('files')) === files, 'the sockets have closed');
        return ask('memory');
      };
      for (let i = 0; i < FIRST; i++) await cycle(i);
      const before = await used();
      for (let i = FIRST; i < CYCLES; i++) await cycle(i);
      const after = await used();
      console.log(`${CYCLES} connects and disconnects: ${before} bytes of heap after ${FIRST}, ${after} after all`);
      expect(after - before).toBeLessThan(MOST_PER_CYCLE * (CYCLES - FIRST) + VARIES);
      // The server, and its token and journal.
      expect(readdirSync(path)).toHaveLength(3);
    } finally {
      await server.end();
      rmSync(runtime, { recursive: true, force: true });
    }
  },
);
