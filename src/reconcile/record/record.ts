export type { Attempt, RecordedPeering, ResourceRecord } from '../../resources/ledger-entry.ts';
