import { expect, test } from 'vitest';
import { replyError } from '../../../../src/cloud/read-reply.ts';
import { decideService } from '../../../../src/reconcile/kinds/service/kind.ts';
import { stepAfterOutcome } from '../../../../src/reconcile/report/visit.ts';
import { notCreated, serviceSituation } from '../../../support/situation.ts';

/** A cloud refuses a create for the spec, the key or a quota, and only its own words say for which. */

const words = 'quota exceeded: 20 of 20 services in project prj1';
const advice: Readonly<Record<number, string>> = {
  400: 'change the spec, or raise your quota; tried again at 12:10 UTC',
  403: 'check the rights of the API key, and your quota',
  422: 'change the spec, or raise your quota; tried again at 12:10 UTC',
};

test.each(Object.entries(advice))(
  'a create that the cloud refuses with %s also names the quota as a cause',
  (status, expected) => {
    const situation = serviceSituation(notCreated);
    const step = decideService(situation);
    const error = replyError(
      'createService',
      {
        status: Number(status),
        headers: {},
        body: JSON.stringify({ code: 'no', message: words }),
        cut: undefined,
      },
      String,
      0,
    );
    if (step.type !== 'call') throw new Error(`not a call: ${JSON.stringify(step)}`);
    const after = stepAfterOutcome({
      situation,
      step,
      outcome: { type: 'failed', error, object: situation.object },
    });
    expect(after).toMatchObject({
      message: `the cloud refused to create the service: "${words}"; ${expected}`,
    });
  },
);
