// How long a pass takes, and how much processor time all threads of the process use meanwhile.
import { cpuUsage } from 'node:process';

const MS_PER_SECOND = 1e3;
const MICROS_PER_SECOND = 1e6;

export function startClock() {
  const start = performance.now();
  const before = cpuUsage();
  return () => {
    const { user, system } = cpuUsage(before);
    return { seconds: (performance.now() - start) / MS_PER_SECOND, cpuSeconds: (user + system) / MICROS_PER_SECOND };
  };
}
