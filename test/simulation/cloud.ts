import {
  answer,
  type ApiReply,
  keyRoute,
  type Route,
  routes,
} from '../../src/simulator/api-server.ts';
import type { Project } from '../../src/simulator/project.ts';
import { outsideProcesses } from './process.ts';

/** A request to the cloud. `body` is JSON. */
export interface CloudRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string | undefined;
}

/** The cloud in memory, with the routes and the faults of the simulator. */
export interface MemoryCloud {
  answer(request: CloudRequest): Promise<ApiReply>;
}

interface Matched {
  readonly route: Route;
  readonly pattern: RegExp;
}

const patterns: readonly Matched[] = [
  { route: keyRoute, pattern: /^\/auth\/info$/u },
  ...routes.map((route) => ({ route, pattern: patternOf(route) })),
];

/** @param projectOfKey finds the project of an API key */
export function memoryCloud(projectOfKey: (apiKey: string) => Project | undefined): MemoryCloud {
  return {
    answer({ method, path, authorization, body }) {
      for (const { route, pattern } of patterns) {
        const match = route.method === method ? pattern.exec(path) : null;
        if (!match) continue;
        const parsed: unknown = body === undefined ? undefined : JSON.parse(body);
        return outsideProcesses(() =>
          answer(route, { authorization, params: { ...match.groups }, body: parsed }, projectOfKey),
        );
      }
      const message = `there is no ${method} ${path}`;
      return Promise.resolve({
        type: 'reply',
        status: 404,
        headers: {},
        body: { code: 'not_found', message },
      });
    },
  };
}

function patternOf({ path }: Route): RegExp {
  const below = path.replaceAll(/:(\w+)/gu, '(?<$1>[^/]+)');
  return new RegExp(`^/projects/(?<project_id>[^/]+)${below}$`, 'u');
}
