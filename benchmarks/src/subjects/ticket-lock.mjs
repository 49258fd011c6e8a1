// @ts-check
import { TicketLock } from '@sluice/classics';
import { wrappable } from './capacitor-lock.mjs';

export const { create, open, wakeUps } = wrappable(TicketLock);
