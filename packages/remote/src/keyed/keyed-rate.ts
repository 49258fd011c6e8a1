// The rate of one key of a keyed rate limiter: its line, and the server's answers about it.

import { RateLine } from '../line/rate-line.ts';
import { TICKS_PER_MS, type RemoteRate } from '../line/rate.ts';
import { readGauge, untilFree, type Gauge } from '../report/rate-report.ts';
import { readKeys, type RemoteKeyReport } from '../report/key-report.ts';
import type { Namespace } from '../primitives/namespace.ts';
import { checkKey, keyTitle, prefixOf } from '../line/remote-key.ts';

/** What `consume` resolves with: the answer of the keyed rate limiter in memory. */
export interface RemoteRateAnswer {
  /** Whether the permits were taken. */
  readonly taken: boolean;
  /** The number of permits that are left. */
  readonly remaining: number;
  /** If the permits were not taken: the ms after which the same call can succeed at the earliest. Otherwise 0. */
  readonly retryAfter: number;
}

/** The value of `block` for which `adjust` leaves the block as it is. */
export const STAYS = -1;

export class KeyedRate {
  readonly title: string;
  readonly rate: RemoteRate;
  readonly #space: Namespace;
  readonly #prefix: string;

  constructor(space: Namespace, name: string, title: string, rate: RemoteRate) {
    this.#space = space;
    this.title = title;
    this.rate = rate;
    this.#prefix = prefixOf(name);
  }

  /** Throws `TypeError` or `RangeError` for a wrong key. */
  lineOf(key: string): RateLine {
    return new RateLine(this.#prefix + checkKey(key), this.rate, keyTitle(this.title, key));
  }

  /** Takes permits if they are available and no call waits. */
  async draw(line: RateLine, weight: number): Promise<RemoteRateAnswer> {
    const args = [line.key, weight, ...line.made];
    const { reply } = await this.#space.inSession((session) => session.call('draw', args));
    const [answer, ahead, blocked, waiting = '0'] = reply;
    if (answer === 'cap') throw line.refused(reply);
    const { burst, cost } = this.rate;
    const taken = answer === 'drawn';
    const ticks = Math.max(Number(ahead) + (weight + Number(waiting)) * cost - burst * cost, Number(blocked));
    const left = Math.max(0, Math.floor((burst * cost - Number(ahead)) / cost));
    return {
      taken,
      remaining: !taken && (Number(waiting) > 0 || Number(blocked) > 0) ? 0 : left,
      retryAfter: taken ? 0 : Math.max(1, Math.ceil(ticks / TICKS_PER_MS)),
    };
  }

  /** Takes or returns permits, and changes the block. */
  async adjust(key: string, permits: number, block: number): Promise<void> {
    const line = this.lineOf(key);
    await this.#space.inSession(async (session) => {
      const { reply } = await session.call('adjust', [line.key, permits, block, ...line.made]);
      if (reply[0] === 'cap') throw line.refused(reply);
      if (reply[0] === 'far')
        throw new RangeError(
          `${line.title}: its permits would be used up for more than 4 days. Over a server a key is kept for at most that time. No permit was taken.`,
        );
      session.takeGrants(reply, 3);
    });
  }

  async gauge(key: string): Promise<Gauge> {
    return readGauge(await this.#space.ask('gauge', this.lineOf(key).key));
  }

  /** The keys for which calls wait. */
  async waited(): Promise<readonly RemoteKeyReport[]> {
    const prefix = `y:${this.#prefix}`;
    return readKeys(await this.#space.ask('keys', prefix), prefix).filter(({ waiting }) => waiting > 0);
  }

  async remaining(key: string): Promise<number> {
    const { ahead, blocked, waiters } = await this.gauge(key);
    const { burst, cost } = this.rate;
    return blocked > 0 || waiters.length > 0 ? 0 : Math.max(0, Math.floor((burst * cost - ahead) / cost));
  }

  async retryAfter(key: string, weight: number): Promise<number> {
    return untilFree(this.rate, await this.gauge(key), weight);
  }

  async blockedFor(key: string): Promise<number> {
    return Math.ceil((await this.gauge(key)).blocked / TICKS_PER_MS);
  }
}
