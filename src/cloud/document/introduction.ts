/** The promises of a cloud that belong to no single operation, and the deviations that the operator tolerates. */
export const introduction = `The API of a managed database cloud, as managed-db-operator uses it: all of its operations, and no others. A cloud that serves them can be driven by the operator; the simulator does (\`npm run simulator\`).

## What a cloud has to keep
- **Keys and projects.** An API key opens exactly one project. \`GET /auth/info\` names it.
- **Ids** are opaque, last as long as the resource, and are never used again.
- **Names** need not be unique, and are shown as they were asked for.
- **Lists** are whole: no pages. They may lag a write by seconds. The operator concludes that a create whose answer was lost made nothing when two lists lack it, the second begun two minutes after it knew of the try: what was made has to be in the lists by then.
- **A refusal** (400, 401, 403, 404, 409, 422, 429) with the error body means that nothing was done. Where that is not certain, answer 5xx.
- **Changes** are asynchronous where the answer is 202: \`status\` shows their progress. The operator sends the next one when the last is done.
- **A 404** for what is there is worse than a 503: it counts towards the proof that the resource is gone.
- **\`created\`** and the header \`Date\` go by one clock, which is right to a few seconds.

## What the operator is lenient about
- Any 2xx is a success. A body is needed only where a list, one resource or a new id is asked for.
- A field that is null is absent. A field that nobody knows is ignored, and named once in the log.
- What is required in a resource makes it useful; only an id of what was created, \`apiKey.project.id\` and the types of the fields are insisted on.
- States may be other words than those of the enums.
- A 409 may come from any operation: the operator waits and looks again. 422 counts as 400, 408 and 425 as 5xx.
- An error may have any body, or none; without \`code\` or \`message\` it proves nothing.

## On the wire
- HTTP/1.1, over https except to its own machine. Redirects are not followed. The base URL (\`--cloud-url\`) may carry a path.
- Bodies are UTF-8 JSON; replies up to 64 MiB, errors up to 64 KiB.
- A call ends after 30 seconds. A request is sent once and never repeated by the transport; requests that create something get a connection of their own.
- 10 requests a second for each API key, bursts of 20, unless the operator is told otherwise.`;
