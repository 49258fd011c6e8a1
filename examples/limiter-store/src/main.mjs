// @ts-check
// Logins are limited over all processes of this user: three attempts a minute, then a block for ten.
import { connect } from '@sluice/local';
import { RateLimiterSpace } from './rate-limiter-space.mjs';

const space = await connect({ namespace: 'shop' });
const logins = new RateLimiterSpace({
  storeClient: space,
  keyPrefix: `logins ${process.pid}`,
  points: 3,
  duration: 60,
  blockDuration: 600,
});

for (let attempt = 1; attempt <= 4; attempt++) {
  const answer = await logins.consume('alice').then(
    ({ remainingPoints }) => `${remainingPoints} left`,
    (/** @type {unknown} */ refused) => {
      const { msBeforeNext } = /** @type {import('rate-limiter-flexible').RateLimiterRes} */ (refused);
      return `again in ${Math.ceil(msBeforeNext / 60_000)} min`;
    },
  );
  console.log(answer);
}
await logins.delete('alice');
await space.close();
