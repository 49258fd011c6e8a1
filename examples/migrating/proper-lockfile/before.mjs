import lockfile from 'proper-lockfile';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = await mkdtemp(join(tmpdir(), 'count-'));
const file = join(folder, 'count');
await writeFile(file, '0');

async function increment() {
  const unlock = await lockfile.lock(file, { retries: { retries: 1000, factor: 1, minTimeout: 5 } });
  try {
    const count = Number(await readFile(file, 'utf8'));
    await writeFile(file, `${count + 1}`);
  } finally {
    await unlock();
  }
}

await Promise.all(Array.from({ length: 20 }, increment));
console.log(await readFile(file, 'utf8'));

const unlock = await lockfile.lock(file);
console.log(await lockfile.check(file), await lockfile.lock(file).catch(() => 'locked'));
await unlock();
console.log(await lockfile.check(file));
await rm(folder, { recursive: true });
