// @ts-check
// A pool of another library with a task that runs for ever.
import { Tinypool } from 'tinypool';

const pool = new Tinypool({ filename: new URL('stuck-task.mjs', import.meta.url).href, maxThreads: 1, minThreads: 1 });
void pool.run({ isEndless: true }).then(() => pool.destroy());
