import { RateLimiterMemory } from 'rate-limiter-flexible';

const logins = new RateLimiterMemory({ points: 3, duration: 60 });

/** @param {string} user @param {number} [attempts] */
async function attempt(user, attempts = 1) {
  try {
    const { remainingPoints } = await logins.consume(user, attempts);
    return `${remainingPoints} left`;
  } catch (refused) {
    const { msBeforeNext } = /** @type {import('rate-limiter-flexible').RateLimiterRes} */ (refused);
    return `again in ${Math.ceil(msBeforeNext / 60_000)} min`;
  }
}

console.log(await attempt('alice'), '|', await attempt('alice', 2), '|', await attempt('alice'));
await logins.penalty('bob', 2);
await logins.reward('bob', 1);
console.log(await attempt('bob'));
await logins.block('mallory', 3600);
console.log(await attempt('mallory'));
await logins.delete('mallory');
console.log(await attempt('mallory'));
