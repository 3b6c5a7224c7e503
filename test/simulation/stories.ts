import { changing } from './stories/changing.ts';
import { deleting } from './stories/deleting.ts';
import { hours } from './stories/hours.ts';
import { misfortune } from './stories/misfortune.ts';
import { owning } from './stories/owning.ts';
import { reported } from './stories/reported.ts';
import { windows } from './stories/windows.ts';

/** The stories by their names on the command line. */
export const stories = {
  ...changing,
  ...deleting,
  ...owning,
  ...misfortune,
  ...reported,
  ...windows,
  ...hours,
};
