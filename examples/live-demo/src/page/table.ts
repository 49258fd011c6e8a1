// The table of the philosophers as SVG text.

import { EATS, HUNGRY } from '../shared/seats.ts';
import { labelOf } from './dom.ts';

const SIZE = 320;
const MIDDLE = SIZE / 2;
const SEATS = 130;
const PLATES = 74;
const FORKS = 84;

interface Point {
  readonly x: number;
  readonly y: number;
}

function at(angle: number, radius: number): Point {
  return { x: MIDDLE + radius * Math.sin(angle), y: MIDDLE - radius * Math.cos(angle) };
}

const n = (value: number): string => value.toFixed(1);

/**
 * `seats`: what each philosopher does. `owners`: by fork, the philosopher who holds it. Fork n lies to the left of
 * philosopher n.
 */
export function tableSvg(
  seats: readonly number[],
  owners: readonly (number | undefined)[],
  colour: (seat: number) => string,
): string {
  const step = (2 * Math.PI) / seats.length;
  const people = seats.map((doing, seat) => person(seat, doing, seat * step, colour(seat)));
  const forks = owners.map((owner, fork) => forkOf(owner, fork, step, seats.length, colour));
  const words = seats.map((doing, seat) => `${labelOf(seat)} ${nameOf(doing)}`).join(', ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}" role="img" aria-label="${words}" font-family="inherit"><circle cx="${MIDDLE}" cy="${MIDDLE}" r="100" fill="var(--track)"/>${forks.join('')}${people.join('')}</svg>`;
}

export function nameOf(doing: number): string {
  if (doing === EATS) return 'eats';
  return doing === HUNGRY ? 'waits' : 'thinks';
}

function person(seat: number, doing: number, angle: number, colour: string): string {
  const [seatAt, plate] = [at(angle, SEATS), at(angle, PLATES)];
  const isEating = doing === EATS;
  const plateFill = isEating ? colour : 'var(--card)';
  const ring =
    doing === HUNGRY
      ? `stroke="${colour}" stroke-width="3" stroke-dasharray="5 4"`
      : `stroke="${colour}" stroke-width="3"`;
  return `<circle cx="${n(plate.x)}" cy="${n(plate.y)}" r="13" fill="${plateFill}" stroke="var(--line)"/><circle cx="${n(seatAt.x)}" cy="${n(seatAt.y)}" r="28" fill="${isEating ? colour : 'var(--card)'}" ${ring}/><text x="${n(seatAt.x)}" y="${n(seatAt.y - 2)}" font-size="13" font-weight="600" text-anchor="middle" fill="${isEating ? 'var(--on-chip)' : 'var(--ink)'}">${labelOf(seat)}</text><text x="${n(seatAt.x)}" y="${n(seatAt.y + 11)}" font-size="12" text-anchor="middle" fill="${isEating ? 'var(--on-chip)' : 'var(--muted)'}">${nameOf(doing)}</text>`;
}

/** Between two plates, or beside the plate of its owner. */
function forkOf(
  owner: number | undefined,
  fork: number,
  step: number,
  seats: number,
  colour: (seat: number) => string,
): string {
  const between = (fork - 0.5) * step;
  const isRight = owner === fork;
  const held = owner === undefined ? between : (isRight ? fork - 0.23 : fork - 1 + 0.23) * step;
  const angle = seats < 3 && owner !== undefined ? between : held;
  const [from, to] = [at(angle, FORKS - 26), at(angle, FORKS + 4)];
  return `<line x1="${n(from.x)}" y1="${n(from.y)}" x2="${n(to.x)}" y2="${n(to.y)}" stroke="${owner === undefined ? 'var(--muted)' : colour(owner)}" stroke-width="5" stroke-linecap="round"/>`;
}
