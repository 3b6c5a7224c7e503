import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { CommandError } from './error.ts';

/** In bytes, of the container that this process runs in. */
export interface ContainerMemory {
  readonly limit: number;
  /** Without the file cache that the kernel gives back. */
  readonly free: number;
}

const mebibyte = 2 ** 20;

/** Node and the modules take 36 MiB. `why` of 10,000 objects takes 16 MiB more (test/unit/cli/memory.test.ts). */
const leastFree = 64 * mebibyte;

/** For an object, its copies in a plan, and its resource in the cloud (measured: docs/sizing.md). */
const bytesPerObject = 48 * 1_024;

/** Flags of Node in a container: an error of this program ends the program, and never takes the operator's memory. */
export const heapFlags = ['--max-old-space-size=64', '--max-semi-space-size=2'] as const;

/**
 * The memory of the container, by cgroup v2 or v1.
 * @returns undefined without a limit, as on a developer's machine
 */
export function containerMemory(root = '/sys/fs/cgroup'): ContainerMemory | undefined {
  return (
    readMemory(root, ['memory.max', 'memory.current', 'inactive_file']) ??
    readMemory(join(root, 'memory'), [
      'memory.limit_in_bytes',
      'memory.usage_in_bytes',
      'total_inactive_file',
    ])
  );
}

function readMemory(
  folder: string,
  [limitFile, usageFile, cacheField]: readonly [string, string, string],
): ContainerMemory | undefined {
  const limit = Number(textOf(join(folder, limitFile)) || Number.NaN);
  const usage = Number(textOf(join(folder, usageFile)) || Number.NaN);
  // Version 2 writes `max`, and version 1 a number that no machine reaches.
  if (!Number.isFinite(limit) || !Number.isFinite(usage) || limit > 2 ** 60) return undefined;
  const line = textOf(join(folder, 'memory.stat'))
    .split('\n')
    .find((each) => each.startsWith(`${cacheField} `));
  const cache = Number(line?.slice(cacheField.length) ?? 0);
  return { limit, free: Math.max(0, limit - usage + cache) };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    // Absent outside of such a container.
    return '';
  }
}

/** Makes this process the first that the kernel ends when the container's memory is full, and not the operator. */
export function volunteerForOutOfMemory(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Some sandboxes have no such file. The limit of the heap remains.
  }
}

/** A reason not to start in this container. Pure. */
export function refusalIn(memory: ContainerMemory): string | undefined {
  return memory.free < leastFree ? refusal('', leastFree, memory.free) : undefined;
}

function refusal(purpose: string, need: number, free: number): string {
  const [needed, left] = [need, free].map((bytes) => Math.floor(bytes / mebibyte));
  return `managed-db needs ${needed} MiB of memory${purpose}, and this container has ${left} MiB left: run managed-db on your machine, with a kubeconfig`;
}

/** Counts the objects that a command keeps in memory. */
export interface MemoryGuard {
  /** @throws {CommandError} before more objects are kept than fit into the container */
  keep(objects: number): void;
}

/** @param memory undefined: without a limit @param heapLeft bytes that the heap may still grow by */
export function memoryGuard(
  memory: ContainerMemory | undefined = containerMemory(),
  heapLeft: number = leftOfHeap(),
): MemoryGuard {
  let kept = 0;
  return {
    keep(objects) {
      kept += objects;
      if (!memory) return;
      const [need, free] = [kept * bytesPerObject, Math.min(memory.free, heapLeft)];
      if (need > free) throw new CommandError(refusal(` for ${kept} objects or more`, need, free));
    },
  };
}

function leftOfHeap(): number {
  const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics();
  return limit - used;
}

/** Collects pages. @throws {CommandError} if they do not fit into the container */
export async function collected<T>(
  pages: AsyncIterable<readonly T[]>,
  memory: MemoryGuard,
): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const page of pages) {
    memory.keep(page.length);
    all.push(...page);
  }
  return all;
}
