import { policy } from './policy.ts';

/** An operator that may take over, and attach to, whatever its own key reaches. */
export const sharedProject = { settings: { policy: { ...policy, sharedProjectAdoption: true } } } as const;
