// The entry of the models of a keyed limit. A mutant is this entry bundled with one line changed.

export * from '../../../core/test/model/entry.ts';
export { KeySlots } from '../../src/key-slots.ts';
export { SlotLine } from '../../src/slot-line.ts';
