// @ts-check
// A pool of another library with two tasks, one of which waits for a word that nobody notifies.
import { Piscina } from 'piscina';
import { stuckOn } from './stuck-task.mjs';

const pool = new Piscina({ filename: new URL('stuck-task.mjs', import.meta.url).href, maxThreads: 2, minThreads: 2 });
void Promise.all([pool.run({ words: stuckOn() }), pool.run({})]).then(() => pool.destroy());
