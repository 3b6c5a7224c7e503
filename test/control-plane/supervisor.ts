/**
 * A supervisor starts the servers of a control plane, and outlives its parent just long enough to end them. It runs in
 * an own session, so that Ctrl-C does not reach it. Its channel closes when its parent ends, by SIGKILL too.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SupervisorReport, SupervisorRequest } from './supervisor-protocol.ts';
import { logFile } from './supervisor-protocol.ts';

// Its watches can keep an API server from ending by itself for a minute.
const gracefulEndMs = 3_000;

const folder = mkdtempSync(join(tmpdir(), 'managed-db-control-plane-'));
const servers = new Map<string, ChildProcess>();

function report(message: SupervisorReport): void {
  if (process.connected) process.send?.(message);
}

function start(name: string, command: string, args: readonly string[]): void {
  const log = openSync(join(folder, logFile(name)), 'a', 0o600);
  // Only this much environment: etcd takes settings from ETCD_* variables.
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    TMPDIR: folder,
    GOGC: process.env['GOGC'],
  };
  const server = spawn(command, args, { cwd: folder, env, stdio: ['ignore', log, log] });
  closeSync(log);
  servers.set(name, server);
  const ended = () => {
    if (servers.get(name) !== server) return;
    servers.delete(name);
    report({ kind: 'ended', name });
  };
  server.once('exit', ended);
  server.once('error', ended);
}

async function end(name: string): Promise<void> {
  const server = servers.get(name);
  if (!server) return;
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  const impatience = setTimeout(() => server.kill('SIGKILL'), gracefulEndMs);
  await ended;
  clearTimeout(impatience);
}

/** The data is thrown away, so nothing has to end gracefully. */
async function endAll(): Promise<void> {
  const ended = [...servers.values()].map((server) => once(server, 'exit'));
  for (const server of servers.values()) server.kill('SIGKILL');
  await Promise.allSettled(ended);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  if (process.connected) process.disconnect?.();
}

let ending: Promise<void> | undefined;
const endAllOnce = () => void (ending ??= endAll());

process.on('message', (request: SupervisorRequest) => {
  if (ending) return;
  if (request.kind === 'start') {
    start(request.name, request.command, request.args);
    report({ kind: 'done', id: request.id });
  } else {
    void end(request.name).then(() => report({ kind: 'done', id: request.id }));
  }
});
process.once('disconnect', endAllOnce);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, endAllOnce);

report({ kind: 'folder', path: folder });
