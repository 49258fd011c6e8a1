import { move, Mutex, shutdown, spawn } from 'multithreading';

const sum = new Mutex(new Int32Array(new SharedArrayBuffer(4)));

const tasks = [1, 2].map(() =>
  spawn(move(sum), async (sum) => {
    for (let n = 0; n < 500; n++) {
      const guard = await sum.lock();
      try {
        guard.value[0] = (guard.value[0] ?? 0) + 1;
      } finally {
        guard.dispose();
      }
    }
    return 500;
  }),
);
const results = await Promise.all(tasks.map((task) => task.join()));
console.log(results.map((result) => (result.ok ? result.value : result.error)).join(' '));

const guard = await sum.lock();
console.log(guard.value[0]);
guard.dispose();
shutdown();
