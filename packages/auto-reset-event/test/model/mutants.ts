// Mutants of the source. Each must be caught by the case that it names.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a signal grants no permit',
    in: 'signalEvent',
    file: 'auto-reset-event/src/kernel/event.ts',
    find: 'status < 0 ? announce(event, agent, add64(event + GRANT, wide(1)), 1) : IDLE',
    replace: 'IDLE',
    caughtBy: 'a signal against a wait',
  },
  {
    name: 'signals do not collapse',
    in: 'signalEvent',
    file: 'auto-reset-event/src/kernel/event.ts',
    find: 'if (status === 1) return cas32(event + OFFICE, 1, 1) === 1 ? IDLE : RACED;',
    replace: '',
    caughtBy: 'two signals against one wait',
  },
  {
    name: 'two take the same signal',
    in: 'consumeEvent',
    find: 'cas32(event + OFFICE, 1, 0) === 1 ? TAKEN : RACED',
    replace: 'TAKEN',
    caughtBy: 'a signal against a look',
  },
  {
    name: 'a wait draws its ticket before it is counted',
    in: 'enqueueAtEvent',
    find: 'return add32(event + OFFICE, -1) === 1 ? TAKEN : draw(event, tag, agent);',
    replace: 'const drawn = draw(event, tag, agent); return add32(event + OFFICE, -1) === 1 ? TAKEN : drawn;',
    caughtBy: 'a signal against a wait',
  },
  {
    name: 'a cancelled waiter stays counted',
    in: 'EventOffice.cancel',
    find: 'cas32(event + OFFICE, status, status + 1) === status ? CANCELLED : RACED',
    replace: 'CANCELLED',
    caughtBy: 'a signal against a wait that may time out',
  },
  {
    name: 'a waiter that cancels leaves the signal that was granted to it',
    in: 'EventOffice.cancel',
    find: 'return TAKEN;',
    replace: 'return CANCELLED;',
    caughtBy: 'a signal against a wait that may time out',
  },
  {
    name: 'a signal that reaches a cancelled waiter goes no further',
    in: 'passOn',
    file: 'kernel/bouncer.ts',
    find: 'announce(line, agent, add64(line + GRANT, wide(1)), 1);',
    replace: '',
    caughtBy: 'the first of two in line leaves',
  },
  {
    name: 'a signal wakes no waiter',
    in: 'AutoResetEvent.signal',
    find: 'if (signalled !== IDLE) this.wake(signalled);',
    replace: '',
    caughtBy: 'a signal against a wait',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'a signal that a dead agent did not see is not noted',
    in: 'EventOffice.noteUnseen',
    find: 'put64(entry + ENTRY_HELD, plus(get64(entry + ENTRY_HELD), wide(1)));',
    replace: '',
    caughtBy: 'death of a waiter',
  },
  {
    name: 'a signal that a dead agent did not see is not signalled again',
    in: 'EventOffice.giveBack',
    find: 'signalEvent(event, get32(entry + ENTRY_TAG), agent)',
    replace: '0',
    caughtBy: 'death of a waiter',
  },
  {
    name: 'a signal is signalled again before it is taken out of the ledger',
    in: 'EventOffice.giveBack',
    find: 'put64(entry + ENTRY_HELD, wide(held - 1));',
    replace: '',
    caughtBy: 'death of a waiter before another, and of its reclaimer',
  },
  {
    name: 'a signal that a dead agent saw is signalled again',
    in: 'settleAt',
    find: 'office.admit(asLine(get32(element + SEM)), get32(element + OWNER), entry);',
    replace: 'add64(entry, wide(1));',
    caughtBy: 'death of a waiter',
  },
  {
    name: 'a signaller does not record the waiter that it is about to wake',
    in: 'hand',
    find: 'put32(agent + AGENT_NOTIFY, element);',
    replace: '',
    caughtBy: 'death of a signaller that another agent waits for',
  },
];
