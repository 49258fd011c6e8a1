import type { Policy } from './policies.ts';
import type { Server } from './server.ts';

export interface Outcome {
  /** Calls per second. */
  readonly throughput: number;
  /** The average latency, in ms. */
  readonly latency: number;
  /** The 99th percentile, in ms. */
  readonly p99: number;
  readonly sizes: readonly number[];
}

/** Runs calls for `ms` of virtual time. `demand`: how many calls want to run at a time. */
export function simulate(policy: Policy, server: Server, ms: number, demand = Infinity): Outcome {
  const latencies: number[] = [];
  const sizes: number[] = [];
  const end = server.now + ms;
  const begun: number[] = [];
  const from = server.now;
  const fill = (): void => {
    while (server.inFlight < Math.min(policy.size, demand)) {
      const size = policy.size;
      server.send(() => begun.push(size));
    }
  };
  fill();
  while (server.now < end) {
    const latency = server.next();
    latencies.push(latency);
    // The ended call counts as running until its end was noted.
    policy.ended(latency, begun.pop() as number, server.inFlight + 1 >= policy.size);
    sizes.push(policy.size);
    fill();
  }
  const sorted = latencies.toSorted((one, other) => one - other);
  return {
    throughput: (1000 * latencies.length) / (server.now - from),
    latency: latencies.reduce((sum, latency) => sum + latency, 0) / latencies.length,
    p99: sorted[Math.floor(0.99 * sorted.length)] as number,
    sizes,
  };
}
