// Mutants of the rate limiter: each changes one line, and the case that it names must catch it.

import type { Mutant } from '../../../../core/test/model/mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a caller does not compare the word that it changes',
    in: 'takeAtRate',
    find: 'cas64(bucket + ARRIVAL, seen, fromNumber(next)) === seen',
    replace: 'cas64(bucket + ARRIVAL, load64(bucket + ARRIVAL), fromNumber(next)) !== wide(-1)',
    caughtBy: 'two agents try for one permit',
  },
  {
    name: 'a booking does not compare the word that it changes',
    in: 'bookAtRate',
    find: 'cas64(bucket + ARRIVAL, seen, fromNumber(next)) === seen',
    replace: 'cas64(bucket + ARRIVAL, load64(bucket + ARRIVAL), fromNumber(next)) !== wide(-1)',
    caughtBy: 'two agents book',
  },
  {
    name: 'a caller takes a permit that has not come yet',
    in: 'takeAtRate',
    find: 'next > at + tolerance',
    replace: 'next > at + tolerance + cost',
    caughtBy: 'two agents try for one permit',
  },
  {
    name: 'permits that come while no call is made exceed the burst',
    in: 'takeAtRate',
    find: 'arrival > at ? arrival : at',
    replace: 'arrival',
    caughtBy: 'a time without calls',
  },
  {
    name: 'a caller does not check for a waiter',
    in: 'takeAtRate',
    find: 'inLine === 0 && isOccupied(line)',
    replace: 'inLine === 2',
    caughtBy: 'one agent waits for two permits while another tries for one',
  },
  {
    name: 'a booking does not check for a waiter',
    in: 'bookAtRate',
    find: 'inLine === 0 && isOccupied(line)',
    replace: 'inLine === 2',
    caughtBy: 'one agent waits while another books',
  },
  {
    name: 'an agent whose clock is behind uses its own time',
    in: 'takeAtRate',
    find: 'now > toNumber(latest) ? now : toNumber(latest)',
    replace: 'now',
    caughtBy: 'an agent takes after one whose clock is ahead',
  },
  {
    name: 'an agent does not publish the time that it used',
    in: 'takeAtRate',
    find: 'now > toNumber(latest) && cas64(bucket + LATEST, latest, fromNumber(now)) !== latest',
    replace: 'latest < wide(0)',
    caughtBy: 'an agent takes after one whose clock is ahead',
  },
  {
    name: 'an agent does not correct its clock when it is behind',
    in: 'Bucket.#catchUp',
    find: 'behind > 0',
    replace: 'behind > 1e12',
    caughtBy: 'an agent waits after one whose clock is ahead',
  },
  {
    name: 'cancel() returns a booking on which a later one depends',
    in: 'returnToRate',
    find: 'toNumber(seen) !== booked',
    replace: 'toNumber(seen) < booked',
    caughtBy: 'two bookings are cancelled while an agent waits',
  },
  {
    name: 'cancel() returns a booking whose time has come',
    in: 'Bookings.#giveBack',
    find: 'if (this.#bucket.untilDue(booking) === 0) return false;',
    replace: '',
    caughtBy: 'cancel() of a booking whose time has come changes nothing',
  },
  {
    name: 'cancel() wakes no head',
    in: 'Bookings.#giveBack',
    find: 'this.#line.hurry(this.#bucket.inLine > 0);',
    replace: '',
    caughtBy: 'a booking is cancelled while an agent waits',
  },
  {
    name: 'cancel() checks for a head before it returns the booking',
    in: 'Bookings.#giveBack',
    find: 'if (this.#bucket.returnBooking(booking) !== TAKEN) return false;',
    replace:
      'const { inLine } = this.#bucket; this.#line.hurry(inLine > 0); return this.#bucket.returnBooking(booking) === TAKEN;',
    caughtBy: 'a booking is cancelled while an agent waits',
  },
  {
    name: 'a head that is done does not leave the line',
    in: 'Line.block',
    find: 'this.#line.release();',
    replace: '',
    caughtBy: 'two agents wait',
  },
  {
    name: 'a head whose permits come after its timeout stays in line',
    in: 'Line.block',
    find: 'parking.now() + ms > deadline',
    replace: 'ms > deadline + 1000',
    caughtBy: 'an agent that would be late times out without a sleep',
  },
  {
    name: 'close() does not wake the head',
    in: 'Line.close',
    find: 'this.#alarm.close();',
    replace: '',
    caughtBy: 'one agent waits while another closes',
  },
  {
    name: 'close() does not close the line',
    in: 'Line.close',
    find: 'this.#line.close();',
    replace: '',
    caughtBy: 'one agent waits while another closes',
  },
];

export const ASYNC_MUTANTS: readonly Mutant[] = [
  {
    name: 'an async head that is done does not leave the line',
    in: 'Line.#leaver',
    find: 'this.#line.release();',
    replace: '',
    caughtBy: 'two async calls wait while another agent closes',
  },
  {
    name: 'close() does not wake an async head',
    in: 'Line.close',
    find: 'this.#alarm.close();',
    replace: '',
    caughtBy: 'an async call waits while another agent closes',
  },
  {
    name: 'the timer of an async head counts as an error',
    in: 'Line.#sleepAsync',
    find: 'failure !== IN_TIME',
    replace: 'failure !== undefined',
    caughtBy: 'an async call waits while another agent closes',
  },
];
