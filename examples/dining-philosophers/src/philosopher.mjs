// One of the philosophers, a thread: thinks and eats until it has had its meals or the bell rings.
import { workerData } from 'node:worker_threads';
import { openDinner } from './dinner.mjs';
import { COMES, EATS, LEAVES, WAITS } from './log.mjs';
import { randomNumbers } from './random.mjs';
import { neighbours } from './rule.mjs';

/** @type {{ me: number, meals: number, pace: number, seed: number,
 *   handles: import('./dinner.mjs').DinnerHandles }} */
const { me, meals, pace, seed, handles } = workerData;
const { table, log, bell, forks, seated, served } = openDinner(handles);
const random = randomNumbers(seed, me);
const pause = () => bell.pause(random() * pace);
const [leftFork] = neighbours(forks.length, me);

function eat() {
  // A read and, after the meal, a write: if a neighbour eats at the same time, one of the two meals is not counted.
  const left = forks[leftFork] ?? 0;
  const right = forks[me] ?? 0;
  pause();
  forks[leftFork] = left + 1;
  forks[me] = right + 1;
}

seated.release();
served.acquire();
for (let meal = 0; meal < meals; meal++) {
  if (pause()) break; // thinks
  log.note(COMES, me);
  table.beginEating(me, () => log.note(WAITS, me));
  log.note(EATS, me);
  eat();
  log.note(LEAVES, me);
  table.endEating(me);
}
