import type { Kind } from '../../../../core/test/support/misuse-table.ts';
import { EventCount, Sequencer } from '../../../src/index.ts';

export const EVENT_COUNT: Kind<EventCount> = {
  what: 'EventCount',
  Class: EventCount,
  create: (options) => EventCount.create(options),
  from: (handle, options) => EventCount.from(handle, options),
};

export const SEQUENCER: Kind<Sequencer> = {
  what: 'Sequencer',
  Class: Sequencer,
  create: (options) => Sequencer.create(options),
  from: (handle, options) => Sequencer.from(handle, options),
};
