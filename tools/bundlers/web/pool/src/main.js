import { Pool } from './pool.js';

async function squares() {
  const pool = new Pool(() => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }), 2);
  let done = 0;
  const results = Array.from({ length: 100 }, async (_, n) => {
    const result = await pool.run(n);
    done += 1;
    if (done === 10) pool.workers[0].terminate(); // Chromium lets it run for two seconds more
    return result;
  });
  const failure = await pool.run(-1).catch((error) => error);
  const sum = (await Promise.all(results)).reduce((one, other) => one + other);
  while (pool.deaths === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  pool.close();
  return `${done} tasks added ${sum}; ${failure}; ${pool.deaths} worker died`;
}

const output = document.querySelector('output');
squares().then(
  (text) => (output.textContent = text),
  (failure) => (output.textContent = `failed: ${failure}`),
);
