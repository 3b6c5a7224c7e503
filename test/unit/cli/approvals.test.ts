import { describe, expect, test } from 'vitest';
import {
  approvalPatch,
  approvalsText,
  missingApprovals,
  revokedApprovals,
} from '../../../src/cli/approve/approvals.ts';
import { serviceObject } from '../../support/situation.ts';

const prefix = 'approval.managed-db.io/';
const since = '2026-11-21T12:00:00.000Z';
const resize = { operation: 'resizeService', change: '1000m/4GB -> 2000m/8GB', since };
const replicas = { operation: 'setServiceHighAvailability', change: '0 -> 1', since };
const given = (
  heldChanges: readonly object[],
  annotations: Readonly<Record<string, string>> = {},
) => serviceObject(annotations, {}, { status: { heldChanges } });
const forApproval = { ...resize, waitsFor: 'Approval' };
const forWindow = { ...replicas, waitsFor: 'Window' };
const entries = (approvals: ReturnType<typeof missingApprovals>) =>
  approvals && Object.fromEntries(approvals.texts);

describe('the approvals that an object lacks', () => {
  test.each([
    ['none without a held change', given([]), false, undefined],
    [
      'the change that waits for an approval',
      given([forApproval, forWindow]),
      false,
      { resizeService: '1000m/4GB -> 2000m/8GB' },
    ],
    [
      'with --now, also the change that waits for a window',
      given([forApproval, forWindow]),
      true,
      {
        resizeService: '1000m/4GB -> 2000m/8GB; now',
        setServiceHighAvailability: '0 -> 1; now',
      },
    ],
    [
      'none for an approval that is there',
      given([forApproval], { [`${prefix}resizeService`]: resize.change }),
      false,
      undefined,
    ],
    [
      'another text in place of an approval of another change',
      given([forApproval], { [`${prefix}resizeService`]: 'x -> y' }),
      false,
      { resizeService: '1000m/4GB -> 2000m/8GB' },
    ],
    [
      'the word now for a change that was approved for the window',
      given([{ ...resize, waitsFor: 'Window' }], { [`${prefix}resizeService`]: resize.change }),
      true,
      { resizeService: '1000m/4GB -> 2000m/8GB; now' },
    ],
  ])('%s', (_sentence, object, isNow, expected) => {
    expect(entries(missingApprovals(object, isNow))).toEqual(expected);
  });
});

test('a revocation removes all approvals of the object, and no other annotation', () => {
  const object = given([], {
    [`${prefix}resizeService`]: 'x -> y',
    'managed-db.io/allow-recreate': 'svc-0',
  });
  const revoked = revokedApprovals(object);
  expect(entries(revoked)).toEqual({ resizeService: null });
  expect(revoked && approvalsText([revoked])).toBe('msvc/orders -n shop: resizeService x -> y\n');
  expect(revokedApprovals(given([]))).toBeUndefined();
});

test('the patch is locked to the version that the person has seen', () => {
  const missing = missingApprovals(given([forApproval]), false);
  expect(missing && approvalPatch(missing)).toEqual({
    metadata: {
      uid: 'uid',
      resourceVersion: '1',
      annotations: { [`${prefix}resizeService`]: '1000m/4GB -> 2000m/8GB' },
    },
  });
});
