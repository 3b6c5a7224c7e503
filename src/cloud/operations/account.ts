import type { Operations } from './operation.ts';

export const account = {
  getCredentialsInfo: {
    method: 'GET',
    path: '/auth/info',
    summary: 'Whose the API key is',
    description:
      'Asked before a key is used for the first time, before something counts as gone, and now and then while a key is rejected: at last every ten minutes.',
    success: { status: 200, description: 'The key is valid.', body: 'CredentialsInfo' },
  },
} as const satisfies Operations;
