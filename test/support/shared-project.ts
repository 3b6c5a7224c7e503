import { policy } from './policy.ts';

/** Settings of an operator that may adopt and attach everything that its own key reaches. */
export const sharedProject = { settings: { policy: { ...policy, sharedProjectAdoption: true } } } as const;
