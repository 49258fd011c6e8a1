// @ts-check
import { LifoLock } from '@sluice/classics';
import { wrappable } from './capacitor-lock.mjs';

export const { create, open, wakeUps } = wrappable(LifoLock);
