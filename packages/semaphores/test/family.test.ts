import { semaphoreSuite } from '@sluice/conformance';
import { Arena } from '@sluice/core';
import { ChainSemaphore, LocationSemaphore, MonitorSemaphore, TicketSemaphore, WaitingArraySemaphore } from '../src/index.ts';

for (const engine of ['wasm', 'js'] as const) {
  for (const Member of [TicketSemaphore, WaitingArraySemaphore, ChainSemaphore, MonitorSemaphore, LocationSemaphore]) {
    semaphoreSuite(`${Member.name} (${engine})`, (permits) => Member.create(permits, { arena: Arena.create({ engine, maxPages: 64 }) }));
  }
}
