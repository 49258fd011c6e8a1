import type { Kind } from '../../../core/test/support/misuse-table.ts';
import { Capacitor, LanedCapacitor, Turnstile } from '../../src/index.ts';

/** Values of kinds that are given as options. */
function withDefaults<Options>(defaults: Options, options: object | undefined): Options {
  return typeof options === 'object' && (options as object | null) !== null
    ? { ...defaults, ...options }
    : (options as Options);
}

export const CAPACITOR: Kind<Capacitor> = {
  what: 'Capacitor',
  Class: Capacitor,
  create: (options) => Capacitor.create(withDefaults({ bypassLimit: 2 }, options)),
  from: (handle, options) => Capacitor.from(handle, options),
};

export const LANED: Kind<LanedCapacitor> = {
  what: 'LanedCapacitor',
  Class: LanedCapacitor,
  create: (options) => LanedCapacitor.create(withDefaults({ bypassLimit: 2, lanes: 2 }, options)),
  from: (handle, options) => LanedCapacitor.from(handle, options),
};

export const TURNSTILE: Kind<Turnstile> = {
  what: 'Turnstile',
  Class: Turnstile,
  create: (options) => Turnstile.create(options),
  from: (handle, options) => Turnstile.from(handle, options),
};
