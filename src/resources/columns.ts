import type { PrinterColumn } from './schema/definition.ts';

function condition(type: 'Ready' | 'Synced', field: 'status' | 'reason' | 'message'): string {
  return `.status.conditions[?(@.type=="${type}")].${field}`;
}

export const ready: readonly PrinterColumn[] = [
  { name: 'Ready', type: 'string', jsonPath: condition('Ready', 'status') },
  { name: 'Synced', type: 'string', jsonPath: condition('Synced', 'status') },
  { name: 'Reason', type: 'string', jsonPath: condition('Synced', 'reason') },
];
export const age: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
};
export const id: PrinterColumn = { name: 'ID', type: 'string', jsonPath: '.status.id', wide: true };
export const secret: PrinterColumn = {
  name: 'Secret',
  type: 'string',
  jsonPath: '.status.binding.name',
  wide: true,
};
/** The object's own rule. A rule of the Namespace would cost a write to each object when it changes. */
export const changeWindowsColumn: PrinterColumn = {
  name: 'Change-Windows',
  type: 'string',
  jsonPath: '.spec.changeWindows',
  wide: true,
};
export const ending: readonly PrinterColumn[] = [
  { name: 'On-Delete', type: 'string', jsonPath: '.status.onDelete', wide: true },
  { name: 'Message', type: 'string', jsonPath: condition('Synced', 'message'), wide: true },
];
// String columns also for numbers: an integer column would show the word `shared` as blank.
export const state: PrinterColumn = { name: 'State', type: 'string', jsonPath: '.status.state' };
export const size: PrinterColumn = { name: 'Size', type: 'string', jsonPath: '.status.size' };
