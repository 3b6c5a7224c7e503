import type { World } from './world.ts';

/** A window that opens in three days of policy time. */
export function closedWindow({ clock }: World): string {
  const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
  const day = days[(new Date(clock.wallTime()).getUTCDay() + 3) % 7] ?? '';
  return `${day} 02:00-03:00 UTC`;
}
