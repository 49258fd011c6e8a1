// Mutants of the event: each changes one line, and the case that it names must catch it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'signal() grants no permit to a waiter',
    in: 'signalEvent',
    file: 'auto-reset-event/src/kernel/event.ts',
    find: 'status < 0 ? announce(event, agent, add64(event + GRANT, wide(1)), 1) : IDLE',
    replace: 'IDLE',
    caughtBy: 'a signal races a wait',
  },
  {
    name: 'two signals to an event without waiters are both kept',
    in: 'signalEvent',
    file: 'auto-reset-event/src/kernel/event.ts',
    find: 'if (isSignalled(status)) return isSignalled(cas32(event + OFFICE, SIGNALLED, SIGNALLED)) ? IDLE : RACED;',
    replace: '',
    caughtBy: 'two signals race one wait',
  },
  {
    name: 'two waiters consume the same signal',
    in: 'consumeEvent',
    find: 'isSignalled(cas32(event + OFFICE, SIGNALLED, 0)) ? TAKEN : RACED',
    replace: 'TAKEN',
    caughtBy: 'a signal races a non-blocking wait',
  },
  {
    name: 'a wait draws its ticket before it is counted',
    in: 'enqueueAtEvent',
    find: 'return isSignalled(add32(event + OFFICE, -1)) ? TAKEN : draw(event, tag, agent);',
    replace: 'const drawn = draw(event, tag, agent); return isSignalled(add32(event + OFFICE, -1)) ? TAKEN : drawn;',
    caughtBy: 'a signal races a wait',
  },
  {
    name: 'a cancelled waiter stays counted',
    in: 'EventOffice.uncount',
    find: 'cas32(event + OFFICE, status, status + 1) === status ? CANCELLED : RACED',
    replace: 'CANCELLED',
    caughtBy: 'a signal races a wait that may time out',
  },
  {
    name: 'a waiter that cancels drops the signal that was granted to it',
    in: 'EventOffice.uncount',
    find: 'return TAKEN;',
    replace: 'return CANCELLED;',
    caughtBy: 'a signal races a wait that may time out',
  },
  {
    name: 'a signal that reaches a cancelled waiter goes no further',
    in: 'passOn',
    file: 'kernel/bouncer.ts',
    find: 'announce(line, agent, add64(line + GRANT, wide(1)), 1);',
    replace: '',
    caughtBy: 'the first of two waiters cancels',
  },
  {
    name: 'signal() does not wake the waiter',
    in: 'AutoResetEvent.signal',
    find: 'if (signalled !== IDLE) this.#waits.wake(signalled);',
    replace: '',
    caughtBy: 'a signal races a wait',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'the ledger does not record a granted signal that its waiter has not learned of',
    in: 'EventOffice.noteUnseen',
    find: 'put64(entry + ENTRY_HELD, plus(get64(entry + ENTRY_HELD), wide(1)));',
    replace: '',
    caughtBy: 'death of a waiter',
  },
  {
    name: 'recovery does not restore a signal that a dead agent had not learned of',
    in: 'EventOffice.giveBack',
    find: 'signalEvent(event, get32(entry + ENTRY_TAG), agent)',
    replace: '0',
    caughtBy: 'death of a waiter',
  },
  {
    name: 'recovery signals again before it removes the signal from the ledger',
    in: 'EventOffice.giveBack',
    find: 'put64(entry + ENTRY_HELD, wide(held - 1));',
    replace: '',
    caughtBy: 'death of a waiter ahead of another, then of its reclaimer',
  },
  {
    name: 'recovery restores a signal that the dead agent had learned of',
    in: 'settleAt',
    find: 'office.admit(asLine(get32(element + LINE)), get32(element + OWNER), entry);',
    replace: 'add64(entry, wide(1));',
    caughtBy: 'death of a waiter',
  },
  {
    name: 'a signaller does not record the waiter that it is about to wake',
    in: 'deliverVerdict',
    find: 'put32(agent + AGENT_NOTIFY, element);',
    replace: '',
    caughtBy: 'death of a signaller while another agent waits for its signal',
  },
];
