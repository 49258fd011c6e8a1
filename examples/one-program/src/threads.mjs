// @ts-check
import { Semaphore } from 'sluice';

const slots = Semaphore.create(2, { name: 'downloads' });

const pages = ['a', 'b', 'c', 'd'];
let open = 0;
const fetched = pages.map((page) =>
  slots.runAsync(async () => {
    if (++open > 2) throw new Error('more than two at a time');
    await new Promise(setImmediate);
    open--;
    return page.toUpperCase();
  }),
);
console.log((await Promise.all(fetched)).join(' '));
