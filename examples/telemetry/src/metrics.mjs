// @ts-check
// Records what Sluice publishes as metrics: two histograms and a gauge, by the name of the primitive.
import { subscribe } from 'node:diagnostics_channel';
import { CHANNELS, startChannels } from '@sluice/inspect';

/** @import { HoldMessage, PrimitiveMessage, WaitMessage } from '@sluice/inspect' */

/**
 * Records the waits and holds of this thread. Call it before the thread creates or opens its locks.
 * @param {import('@opentelemetry/api').Meter} meter
 */
export function recordSluice(meter) {
  const wait = meter.createHistogram('sluice.wait.duration', { unit: 'ms', description: 'Time in line' });
  const hold = meter.createHistogram('sluice.hold.duration', { unit: 'ms', description: 'Time from lock to unlock' });
  const line = meter.createObservableGauge('sluice.line', { description: 'Waits of this thread that are in line' });

  /** The waits in line, by the name of the primitive. @type {Map<string, number>} */
  const waiting = new Map();
  line.addCallback((result) => {
    for (const [name, count] of waiting) result.observe(count, { 'sluice.name': name });
  });

  startChannels();
  subscribe(CHANNELS.wait, (published) => {
    const message = /** @type {WaitMessage} */ (published);
    const name = nameOf(message);
    waiting.set(name, (waiting.get(name) ?? 0) + (message.event === 'start' ? 1 : -1));
    if (message.event === 'end')
      wait.record(message.durationMs, { 'sluice.name': name, 'sluice.outcome': message.outcome });
  });
  subscribe(CHANNELS.hold, (published) => {
    const message = /** @type {HoldMessage} */ (published);
    if (message.event === 'end') hold.record(message.durationMs, { 'sluice.name': nameOf(message) });
  });
}

/**
 * Primitives without a name share one series of their kind: a series for each address would never end.
 * @param {PrimitiveMessage} message
 */
function nameOf({ name, kind, side }) {
  const title = name === '' ? kind : name;
  return side === undefined ? title : `${title} (${side})`;
}
