import { connect } from '@sluice/local';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = await mkdtemp(join(tmpdir(), 'count-'));
const file = join(folder, 'count');
await writeFile(file, '0');

const space = await connect({ namespace: 'count' });
const files = space.keyedMutex('files');

async function increment() {
  await files.runAsync(file, async () => {
    const count = Number(await readFile(file, 'utf8'));
    await writeFile(file, `${count + 1}`);
  });
}

await Promise.all(Array.from({ length: 20 }, increment));
console.log(await readFile(file, 'utf8'));

/** Whether any process has locked the file. */
const isLocked = async () => (await files.inspect()).keys.some(({ key }) => key === file);

await files.lockAsync(file);
console.log(await isLocked(), (await files.tryLock(file)) || 'locked');
await files.unlock(file);
console.log(await isLocked());
await space.close();
await rm(folder, { recursive: true });
