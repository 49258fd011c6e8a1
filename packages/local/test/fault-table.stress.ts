// The faults of every engine, between the processes of one machine. The first process serves.

import { connect } from '@sluice/local';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, test } from 'vitest';
import { faultSuite, type FaultGround } from '../../remote/test/faults/fault-suite.ts';
import { sendBytes } from '../../remote/test/faults/garbage.ts';
import { Member } from '../../remote/test/faults/member.ts';
import { SmallDisk } from '../../remote/test/faults/small-disk.ts';
import { folderIn } from './support/children.ts';

const PROGRAM = fileURLToPath(new URL('children/holder.mjs', import.meta.url));
const NAMESPACE = 'faults';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A folder of a test, on a file system that can be filled if one can be mounted. */
function folderOf(): { readonly folder: string; readonly disk: SmallDisk | undefined } {
  const disk = SmallDisk.mount(4);
  const folder = disk?.folder ?? mkdtempSync(join(tmpdir(), 'sl-faults-'));
  ends.push(() => (disk === undefined ? rmSync(folder, { recursive: true, force: true }) : disk.unmount()));
  return { folder, disk };
}

async function groundOf(): Promise<FaultGround> {
  const { folder, disk } = folderOf();
  const start = async (lease: number): Promise<Member> => {
    const member = await Member.start(PROGRAM, [NAMESPACE, String(lease)], { XDG_RUNTIME_DIR: folder });
    ends.push(() => member.end());
    return member;
  };
  // Its lease is the longest of a test: how soon it is given up depends on those that call it.
  const server = await start(20_000);
  return {
    start,
    open: async (lease) => {
      env['XDG_RUNTIME_DIR'] = folder;
      const space = await connect({ namespace: NAMESPACE, lease });
      ends.push(() => space.close());
      return space;
    },
    killServer: () => server.end(),
    stopServer: () => server.stop(),
    goOn: () => server.go(),
    fill: disk === undefined ? undefined : () => Promise.resolve(disk.fill()),
    sendGarbage: async () => {
      const path = folderIn(folder);
      for (const name of readdirSync(path).filter((each) => each.endsWith('.sock')))
        await sendBytes({ path: join(path, name) });
    },
  };
}

describe.skipIf(platform !== 'linux')('a space between processes', () => {
  faultSuite({
    name: 'local',
    noticesDeaths: true,
    takesOver: true,
    fullCode: 'SLUICE_LOCAL',
    releasesWhenFull: true,
    it: (name, body) => {
      test(name, async () => body(await groundOf()));
    },
  });
});
