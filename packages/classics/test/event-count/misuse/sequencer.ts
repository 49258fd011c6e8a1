import { creationRows } from '../../../../core/test/support/misuse-creation.ts';
import type { Prepare, Row } from '../../../../core/test/support/misuse-table.ts';
import { refusedRows } from '../../../../core/test/support/misuse-waits.ts';
import { Sequencer } from '../../../src/index.ts';
import { SEQUENCER } from './kinds.ts';

export type State = 'idle' | 'freed';

export const STATES: Readonly<Record<State, Prepare<Sequencer>>> = {
  idle: () => () => undefined,
  freed: ({ ours }) => {
    ours.free();
    return () => undefined;
  },
};

export function sequencerRows(): Row<Sequencer, State>[] {
  return [
    ...creationRows<Sequencer, State>(SEQUENCER, 'idle'),
    ...refusedRows<Sequencer, State>(
      'freed',
      {
        error: 'MisuseError',
        code: 'SLUICE_MISUSE',
        says: "The sequencer 'bench' was freed and cannot be used any more.",
      },
      [
        ['ticket()', (sequencer) => sequencer.ticket()],
        ['name', (sequencer) => sequencer.name],
        ['inspect()', (sequencer) => sequencer.inspect()],
        ['free()', (sequencer) => sequencer.free()],
      ],
    ),
    {
      call: 'Sequencer.from(the handle of a freed sequencer)',
      state: 'freed',
      make: ({ ours }) => Sequencer.from(ours.handle),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'what it led to was freed',
    },
  ];
}
