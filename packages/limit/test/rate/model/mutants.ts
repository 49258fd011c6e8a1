// The source with one line wrong. Each must be caught by the case that it names: a model that no mutant fails proves
// nothing.

import type { Mutant } from '../../../../core/test/model/mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a caller does not compare in the word that it changes',
    in: 'takeAtRate',
    find: 'cas64(bucket + ARRIVAL, seen, fromNumber(next)) === seen',
    replace: 'cas64(bucket + ARRIVAL, load64(bucket + ARRIVAL), fromNumber(next)) !== wide(-1)',
    caughtBy: 'two try for one permit',
  },
  {
    name: 'a booking does not compare in the word that it changes',
    in: 'bookAtRate',
    find: 'cas64(bucket + ARRIVAL, seen, fromNumber(next)) === seen',
    replace: 'cas64(bucket + ARRIVAL, load64(bucket + ARRIVAL), fromNumber(next)) !== wide(-1)',
    caughtBy: 'two book',
  },
  {
    name: 'a permit that is not there is taken',
    in: 'takeAtRate',
    find: 'next > at + tolerance',
    replace: 'next > at + tolerance + cost',
    caughtBy: 'two try for one permit',
  },
  {
    name: 'permits of a time without calls are added to a burst',
    in: 'takeAtRate',
    find: 'arrival > at ? arrival : at',
    replace: 'arrival',
    caughtBy: 'a time without calls',
  },
  {
    name: 'a caller does not look for a waiter',
    in: 'takeAtRate',
    find: 'inLine === 0 && isOccupied(line)',
    replace: 'inLine === 2',
    caughtBy: 'one waits for two permits, one tries for one',
  },
  {
    name: 'a booking does not look for a waiter',
    in: 'bookAtRate',
    find: 'inLine === 0 && isOccupied(line)',
    replace: 'inLine === 2',
    caughtBy: 'one waits, one books',
  },
  {
    name: 'an agent whose clock is behind uses it',
    in: 'takeAtRate',
    find: 'now > toNumber(latest) ? now : toNumber(latest)',
    replace: 'now',
    caughtBy: 'one takes after one whose clock is ahead',
  },
  {
    name: 'an agent does not say what time it has used',
    in: 'takeAtRate',
    find: 'now > toNumber(latest) && cas64(bucket + LATEST, latest, fromNumber(now)) !== latest',
    replace: 'latest < wide(0)',
    caughtBy: 'one takes after one whose clock is ahead',
  },
  {
    name: 'an agent whose clock is behind waits for its own clock',
    in: 'Bucket.#catchUp',
    find: 'behind > 0',
    replace: 'behind > 1e12',
    caughtBy: 'one waits behind one whose clock is ahead',
  },
  {
    name: 'a booking is returned although a later one rests on it',
    in: 'returnToRate',
    find: 'toNumber(seen) !== booked',
    replace: 'toNumber(seen) < booked',
    caughtBy: 'two bookings are returned while one waits',
  },
  {
    name: 'a booking is returned when its time has come',
    in: 'Bookings.#giveBack',
    find: 'if (this.#bucket.untilDue(booking) === 0) return false;',
    replace: '',
    caughtBy: 'a booking is not returned when its time has come',
  },
  {
    name: 'a returned booking wakes no head',
    in: 'Bookings.#giveBack',
    find: 'this.#line.hurry(this.#bucket.inLine > 0);',
    replace: '',
    caughtBy: 'a booking is returned while one waits',
  },
  {
    name: 'the look for a head comes before the booking is returned',
    in: 'Bookings.#giveBack',
    find: 'if (this.#bucket.returnBooking(booking) !== TAKEN) return false;',
    replace:
      'const { inLine } = this.#bucket; this.#line.hurry(inLine > 0); return this.#bucket.returnBooking(booking) === TAKEN;',
    caughtBy: 'a booking is returned while one waits',
  },
  {
    name: 'a head that is done does not leave the line',
    in: 'Line.block',
    find: 'this.#line.release();',
    replace: '',
    caughtBy: 'two wait',
  },
  {
    name: 'a head that will be late stays',
    in: 'Line.block',
    find: 'parking.now() + ms > deadline',
    replace: 'ms > deadline + 1000',
    caughtBy: 'one gives up, and does not sleep',
  },
  {
    name: 'close does not wake the head',
    in: 'Line.close',
    find: 'this.#alarm.close();',
    replace: '',
    caughtBy: 'one waits, one closes',
  },
  {
    name: 'close does not close the line',
    in: 'Line.close',
    find: 'this.#line.close();',
    replace: '',
    caughtBy: 'one waits, one closes',
  },
];

export const ASYNC_MUTANTS: readonly Mutant[] = [
  {
    name: 'an async head that is done does not leave the line',
    in: 'Line.#leaver',
    find: 'this.#line.release();',
    replace: '',
    caughtBy: 'two async calls wait, one closes',
  },
  {
    name: 'close does not wake an async head',
    in: 'Line.close',
    find: 'this.#alarm.close();',
    replace: '',
    caughtBy: 'an async call waits, one closes',
  },
  {
    name: 'the timer of an async head is an error',
    in: 'Line.#sleepAsync',
    find: 'failure !== IN_TIME',
    replace: 'failure !== undefined',
    caughtBy: 'an async call waits, one closes',
  },
];
