// @ts-check
// Holds a key, runs an endless initialiser of a once or a lazy, or waits at the head of a rate limiter, until it is
// killed. Prints a line when it has begun.
import { connect } from '@sluice/redis';
import { argv, stdout } from 'node:process';
import { createClient } from 'redis';

const [, , url = '', namespace = '', lease = '', what = ''] = argv;
const space = await connect(createClient({ url }), {
  namespace,
  lease: Number(lease),
  name: 'taker',
  onWarning: () => undefined,
});
const say = () => void stdout.write('there\n');
if (what === 'key') {
  await space.keyedMutex('jobs').lockAsync('x');
  say();
} else if (what === 'once') {
  void space.once('schema').runAsync(() => {
    say();
    return new Promise(() => undefined);
  });
} else if (what === 'lazy') {
  void space.lazy('config').getAsync(() => {
    say();
    return new Promise(() => undefined);
  });
} else {
  const limiter = space.rateLimiter('api', { permits: 1, interval: 600_000, burst: 3 });
  await limiter.acquireAsync(2);
  void limiter.acquireAsync(2);
  say();
}
setInterval(() => undefined, 1000);
