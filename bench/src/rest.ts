import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSecondsBelow, descendantsOf, residentMb } from './processUse.js';
import { startGatehouse } from './servers.js';

/** The resources of a platform without callers. */
interface Rest {
  form: 'standalone' | 'mesh';
  /** Resident memory of the started process and its descendants. */
  programMb: number;
  childrenMb: number;
  /** Percent of one core, of all processes together. */
  cpuPercent: number;
}

const SETTLING_MS = 5000;

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

async function measureForm(form: Rest['form'], seconds: number): Promise<Rest> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-rest-'));
  const server = await startGatehouse(form, { dataDir });
  try {
    await sleep(SETTLING_MS);
    const below = await descendantsOf(server.pid);
    const programMb = await residentMb(server.pid);
    const childrenMb = sum(await Promise.all(below.map(residentMb)));
    const before = await cpuSecondsBelow(server.pid);
    await sleep(seconds * 1000);
    const cpuSeconds = (await cpuSecondsBelow(server.pid)) - before;
    return { form, programMb, childrenMb, cpuPercent: cpuSeconds * (100 / seconds) };
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Starts each form without the demo, lets it idle, and measures its resources; on Linux. */
export async function measureRest(seconds: number): Promise<Rest[]> {
  return [await measureForm('standalone', seconds), await measureForm('mesh', seconds)];
}

/** The results as a section of Markdown. */
export function reportRest(rests: readonly Rest[]): string {
  const lines = rests.map(({ form, programMb, childrenMb, cpuPercent }) => {
    const all = [programMb, childrenMb, programMb + childrenMb].map(Math.round);
    return `| ${form} | ${all.join(' | ')} | ${form === 'standalone' ? 300 : ''} | ${cpuPercent.toFixed(1)} |`;
  });
  return `
## At rest

Without callers and without the demo, from five seconds after the start.
The children of the standalone are its engine;
those of the mesh are its engine, its NATS and its seven processes.
Memory is resident memory in MB; memory that processes share is counted for each.

| form | program | children | together | aim | % of a core |
|---|---|---|---|---|---|
${lines.join('\n')}
`;
}
