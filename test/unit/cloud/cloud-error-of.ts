import { CloudError } from '../../../src/cloud/cloud-error.ts';

/** The error that a call ends with; anything else than a CloudError fails the test. */
export async function cloudErrorOf(call: Promise<unknown>): Promise<CloudError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof CloudError) return error;
    throw new Error('expected a CloudError', { cause: error });
  }
  throw new Error('expected the call to fail');
}
