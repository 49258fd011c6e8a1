import { KeyedRateLimiter } from 'sluice';

const logins = KeyedRateLimiter.create({ permits: 3, interval: 60_000 });

/** @param {string} user @param {number} [attempts] */
function attempt(user, attempts = 1) {
  const { taken, remaining, retryAfter } = logins.consume(user, attempts);
  return taken ? `${remaining} left` : `again in ${Math.ceil(retryAfter / 60_000)} min`;
}

console.log(attempt('alice'), '|', attempt('alice', 2), '|', attempt('alice'));
logins.penalty('bob', 2);
logins.reward('bob', 1);
console.log(attempt('bob'));
logins.block('mallory', 3_600_000);
console.log(attempt('mallory'));
logins.reset('mallory');
console.log(attempt('mallory'));
