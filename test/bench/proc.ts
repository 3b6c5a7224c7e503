import { readdir, readFile } from 'node:fs/promises';

/** Linux counts the CPU time of a process in hundredths of a second, on any machine (USER_HZ). */
const ticksPerSecond = 100;

/** Memory of a process, in MiB. */
export interface ProcessMemory {
  /** Resident now. */
  readonly rssMib: number;
  /** The most that was ever resident. */
  readonly peakMib: number;
}

/** CPU seconds of all threads of a process, its own and those that the kernel spent for it. @param stat the text of /proc/PID/stat */
export function cpuSecondsIn(stat: string): number {
  // The name of the program stands in parentheses, and may have blanks and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [fields[11], fields[12]].map(Number);
  const ticks = (user ?? Number.NaN) + (system ?? Number.NaN);
  if (Number.isNaN(ticks)) throw new Error(`no CPU time in "${stat}"`);
  return ticks / ticksPerSecond;
}

/** @param status the text of /proc/PID/status */
export function memoryIn(status: string): ProcessMemory {
  const mib = (field: string) => {
    const kib = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'mu').exec(status)?.[1];
    if (kib === undefined) throw new Error(`no ${field} in the status of a process`);
    return Number(kib) / 1_024;
  };
  return { rssMib: mib('VmRSS'), peakMib: mib('VmHWM') };
}

export async function cpuSeconds(pid: number): Promise<number> {
  return cpuSecondsIn(await readFile(`/proc/${pid}/stat`, 'utf8'));
}

export async function memory(pid: number): Promise<ProcessMemory> {
  return memoryIn(await readFile(`/proc/${pid}/status`, 'utf8'));
}

/** The process whose command line has this argument. @throws {Error} when none has */
export async function processWith(argument: string): Promise<number> {
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/u.test(name)) continue;
    // A process may end between the two looks.
    const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (line.split('\0').includes(argument)) return Number(name);
  }
  throw new Error(`no process has the argument ${argument}`);
}
