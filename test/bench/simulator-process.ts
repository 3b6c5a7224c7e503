/** The simulator in a process of its own, so that its CPU is not that of whoever measures. Ends with whoever started it. */
import { startSimulator } from '../../src/simulator/simulator.ts';

const simulator = await startSimulator({ latencyMs: Number(process.argv[2]), deleteLatencyMs: 0 });
const { id, apiKey } = simulator.addProject();
process.once('disconnect', () => process.exit());
// Ctrl-C reaches all processes of a terminal; this one ends with the benchmark.
process.on('SIGINT', () => undefined);
process.send?.({ url: simulator.url, id, apiKey });
