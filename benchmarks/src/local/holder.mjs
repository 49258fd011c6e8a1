// @ts-check
// Holds the lock until it is killed, after it has said so.
import process, { argv } from 'node:process';
import { SUBJECTS } from './subjects.mjs';

const [, , folder = '', name = ''] = argv;
const subject = await SUBJECTS[name]?.(folder);
await subject?.take();
process.send?.('held');
// Keeps the process alive.
setInterval(() => undefined, 60_000);
