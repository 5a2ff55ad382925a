import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_NAMES } from '@gatehouse/contract';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { prepareMesh, startNats, type MeshApp } from '@gatehouse/testing';
import { percentile } from './load.js';
import { startGatehouse } from './servers.js';

/** Milliseconds from the start of a program to its first response that it is ready. */
interface Start {
  program: string;
  aimMs: number;
  timesMs: number[];
}

const SERVICES: readonly MeshApp[] = SERVICE_NAMES;
const STANDALONE_AIM_MS = 3000;
const SERVICE_AIM_MS = 2000;
const POLL_MS = 10;

async function untilReady(port: number): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** On a new data directory, and then repeatedly on that one. */
async function measureStandalone(rounds: number): Promise<Start[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-start-'));
  const run = async () => {
    const server = await startGatehouse('standalone', { dataDir });
    await server.stop();
    return server.readyAfterMs;
  };
  try {
    const first = await run();
    const later: number[] = [];
    for (let round = 0; round < rounds; round += 1) later.push(await run());
    return [
      { program: 'standalone, the first time', aimMs: STANDALONE_AIM_MS, timesMs: [first] },
      { program: 'standalone', aimMs: STANDALONE_AIM_MS, timesMs: later },
    ];
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measureServices(rounds: number): Promise<Start[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-start-'));
  const engine = await startEmbeddedEngine({ dataDir });
  try {
    await using nats = await startNats();
    await using mesh = await prepareMesh({ MONGODB_URL: engine.url, NATS_URL: nats.url });
    const directory = await mesh.start('directory');
    const DIRECTORY_URL = `ws://127.0.0.1:${directory.port}`;
    const measured: Start[] = [];
    for (const program of [...SERVICES, 'gateway'] as const) {
      const timesMs: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const startedAtMs = performance.now();
        const started = await mesh.start(program, { DIRECTORY_URL });
        await untilReady(started.port);
        timesMs.push(performance.now() - startedAtMs);
        await started.end('SIGTERM');
      }
      measured.push({ program, aimMs: SERVICE_AIM_MS, timesMs });
    }
    return measured;
  } finally {
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The startup times of the programs, one after the other, after the build. */
export async function measureStarts(rounds: number): Promise<Start[]> {
  return [...(await measureStandalone(rounds)), ...(await measureServices(rounds))];
}

/** The results as a section of Markdown. */
export function reportStarts(starts: readonly Start[]): string {
  const lines = starts.map(({ program, aimMs, timesMs }) => {
    const median = percentile(
      timesMs.toSorted((a, b) => a - b),
      0.5,
    );
    return `| ${program} | ${timesMs.length} | ${Math.round(median)} | ${Math.round(Math.max(...timesMs))} | ${aimMs} |`;
  });
  return `
## Ready after the start

From the start of the program to its first answer at \`/readyz\`, after the build.

| program | starts | median ms | longest ms | aim |
|---|---|---|---|---|
${lines.join('\n')}
`;
}
