import type { ResourceRecord } from '../../resources/ledger-entry.ts';

export type { Attempt, MadePeering, RecordedPeering, ResourceRecord } from '../../resources/ledger-entry.ts';

/** The VPCs to which this object attached its service, or may have. It is detached from no other one, unless it stands in the way. */
export function attachmentsIn({ vpcAttachment, earlierAttachments = [] }: ResourceRecord): readonly string[] {
  return vpcAttachment === undefined ? earlierAttachments : [vpcAttachment, ...earlierAttachments];
}
