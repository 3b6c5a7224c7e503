/** The simulator in an own process, so that its CPU does not count for the measuring process. Ends with its parent. */
import { startSimulator } from '../../src/simulator/simulator.ts';

const simulator = await startSimulator({ latencyMs: Number(process.argv[2]), deleteLatencyMs: 0 });
const { id, apiKey } = simulator.addProject();
process.once('disconnect', () => process.exit());
// Ctrl-C reaches all processes of a terminal; this process ends with the benchmark.
process.on('SIGINT', () => undefined);
process.send?.({ url: simulator.url, id, apiKey });
