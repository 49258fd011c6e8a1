// The entry of the models of a keyed limit. A mutant is this entry bundled with one line changed.

export * from '../../../core/test/model/entry.ts';
export { KeySlots } from '../../src/limits/key-slots.ts';
export { SlotLine } from '../../src/limits/slot-line.ts';
