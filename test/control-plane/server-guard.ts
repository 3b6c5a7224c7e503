import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ControlPlaneError } from './control-plane-error.ts';
import type { SupervisorReport, SupervisorRequest } from './supervisor-protocol.ts';
import { logFile } from './supervisor-protocol.ts';

type WithoutId<R> = R extends unknown ? Omit<R, 'id'> : never;

/** A server ended before it was ready, or was not ready in time; the message ends with the last lines of its log. */
export class ServerFailed extends ControlPlaneError {
  override readonly name = 'ServerFailed';
}

/** This process's side of the supervisor: starts and ends servers that cannot outlive this process. */
export class ServerGuard {
  /** Temporary, readable by this user only, removed with the servers. */
  readonly folder: string;
  readonly #supervisor: ChildProcess;
  readonly #unanswered = new Map<number, PromiseWithResolvers<void>>();
  readonly #running = new Set<string>();
  #lastId = 0;

  private constructor(supervisor: ChildProcess, folder: string) {
    this.#supervisor = supervisor;
    this.folder = folder;
    supervisor.on('message', (report: SupervisorReport) => this.#take(report));
    supervisor.once('exit', () => this.#sweep());
  }

  /** @param heapGrowth of the servers between two collections, in percent: Go's `GOGC` */
  static async start(heapGrowth: number): Promise<ServerGuard> {
    const supervisor = fork(fileURLToPath(new URL('supervisor.ts', import.meta.url)), {
      detached: true,
      execArgv: [],
      env: { ...process.env, NODE_OPTIONS: '', GOGC: `${heapGrowth}` },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    return new ServerGuard(supervisor, await reportedFolder(supervisor));
  }

  isRunning(name: string): boolean {
    return this.#running.has(name);
  }

  /** Starts a server in `folder`; its output goes to a log there. Returns at once, long before the server is ready. */
  async launch(name: string, command: string, args: readonly string[]): Promise<void> {
    this.#running.add(name);
    await this.#ask({ kind: 'start', name, command, args });
  }

  /** Ends a server, gracefully if it can within 3 s. */
  async end(name: string): Promise<void> {
    await this.#ask({ kind: 'end', name });
  }

  /** Ends all servers and removes the folder. */
  async stop(): Promise<void> {
    if (this.#supervisor.exitCode !== null || this.#supervisor.signalCode !== null) return;
    const ended = once(this.#supervisor, 'exit');
    if (this.#supervisor.connected) this.#supervisor.disconnect();
    await ended;
  }

  async write(file: string, content: string): Promise<void> {
    await writeFile(join(this.folder, file), content, { mode: 0o600 });
  }

  async failure(name: string, what: string): Promise<ServerFailed> {
    const log = await readFile(join(this.folder, logFile(name)), 'utf8').catch(() => '');
    const tail = log.trimEnd().split('\n').slice(-15).join('\n');
    return new ServerFailed(
      `${name} ${what}; the end of its log:\n${tail || '(it wrote nothing)'}`,
    );
  }

  #take(report: SupervisorReport): void {
    if (report.kind === 'ended') this.#running.delete(report.name);
    if (report.kind === 'done') this.#unanswered.get(report.id)?.resolve();
  }

  async #ask(request: WithoutId<SupervisorRequest>): Promise<void> {
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<void>();
    this.#unanswered.set(id, answer);
    if (this.#supervisor.connected) this.#supervisor.send({ ...request, id });
    else answer.reject(new ServerFailed('the control plane has ended'));
    await answer.promise.finally(() => this.#unanswered.delete(id));
  }

  /** A supervisor that was killed could not clean up; its servers are still in its process group. */
  #sweep(): void {
    this.#running.clear();
    for (const answer of this.#unanswered.values())
      answer.reject(new ServerFailed('the control plane has ended'));
    try {
      if (this.#supervisor.pid) process.kill(-this.#supervisor.pid, 'SIGKILL');
    } catch {
      // No such group: the normal case, all servers have ended.
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A supervisor's first report. */
async function reportedFolder(supervisor: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  supervisor.once('message', (report: SupervisorReport) => {
    if (report.kind === 'folder') resolve(report.path);
  });
  const failed = () =>
    reject(new ServerFailed('the supervisor of the control plane could not start'));
  supervisor.once('exit', failed);
  try {
    return await promise;
  } finally {
    supervisor.off('exit', failed);
  }
}
