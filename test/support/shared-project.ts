import { defaultOptions } from './default-options.ts';

/** Settings of an operator that may adopt and attach everything that its own key reaches. */
export const sharedProject = {
  settings: { options: { ...defaultOptions, sharedProjectAdoption: true } },
} as const;
