import { describe, expect, test } from 'vitest';
import { memoryApiServer, type MemoryApiServer } from '../simulation/api-server/api-server.ts';
import { parsedJson, textAt } from '../simulation/api-server/json.ts';

const secrets = '/api/v1/namespaces/default/secrets';

function server(): MemoryApiServer {
  let uids = 0;
  return memoryApiServer({ now: () => 0, newUid: () => `uid-${(uids += 1)}` });
}

function create(api: MemoryApiServer, name: string): void {
  const body = JSON.stringify({ metadata: { name } });
  api.answer({ method: 'POST', path: secrets, body, user: 'admin' });
}

/** Opens a watch of the present Secrets. `onLine` gets the name of each object that the watch shows. */
function watch(api: MemoryApiServer, onLine: (name: string) => void): void {
  const path = `${secrets}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`;
  const opened = api.answer({ method: 'GET', path, user: 'admin' });
  if (opened.type !== 'watch') throw new Error('the server refused the watch');
  opened.open(
    (line) => {
      const name = textAt(parsedJson(line), 'object', 'metadata', 'name');
      if (name !== undefined) onLine(name);
    },
    () => undefined,
  );
}

describe('the API server in memory', () => {
  test('shows each change once to a watch that begins while another watch gets this change', () => {
    const api = server();
    const inner: string[] = [];
    let isOpen = false;
    watch(api, () => {
      if (isOpen) return;
      isOpen = true;
      watch(api, (name) => void inner.push(name));
    });
    create(api, 'a');
    create(api, 'b');
    expect(inner).toEqual(['a', 'b']);
  });

  test('shows all watches the changes in the same order, also if a watch makes a change', () => {
    const api = server();
    const seen: string[] = [];
    watch(api, (name) => {
      if (name === 'a') create(api, 'b');
    });
    watch(api, (name) => void seen.push(name));
    create(api, 'a');
    expect(seen).toEqual(['a', 'b']);
  });
});
