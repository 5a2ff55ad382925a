import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { MongoClient } from 'mongodb';
import { measureAudit, reportAudit } from './audit.js';
import { compare, type ComparisonSettings, type Target } from './compare.js';
import { measureEvents, reportEvents } from './events.js';
import { measureGrowth, measureIdleMemory } from './growth.js';
import { measureMigration, reportMigration } from './migration.js';
import { measurePreviews, reportPreviews } from './policy.js';
import { report, type Row } from './report.js';
import { measureScale, reportScale } from './scale.js';
import { copyForLimit, seed } from './seed.js';
import { readCredentials, startGatehouse, startLimit } from './servers.js';
import { measureStarts, reportStarts } from './start.js';
import { measureValidation, reportValidation } from './validation.js';

const DASHBOARDS = 20_000;
const RESULTS = fileURLToPath(new URL('../results.md', import.meta.url));
const FULL = { seconds: 3, rounds: 3 };
/** To see that it works; its numbers say little and are not kept. */
const QUICK = { seconds: 1, rounds: 1 };

type Form = 'standalone' | 'mesh';

const prefixOf = (form: Form) => `gatehouse_${form}`;

/** Starts a form and fills it. Each has databases of its own, or one would deliver the other's events. */
async function startForm(form: Form, client: MongoClient, place: { url: string; dataDir: string }) {
  const dataDir = join(place.dataDir, form);
  const settings = { MONGODB_PREFIX: prefixOf(form) };
  const server = await startGatehouse(form, { mongodbUrl: place.url, dataDir, settings });
  const database = client.db(`${prefixOf(form)}_access`);
  return { server, database, seeded: await seed(await readCredentials(dataDir), database, DASHBOARDS) };
}

async function compareForms(forms: readonly Form[], settings: ComparisonSettings): Promise<Row[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const engine = await startEmbeddedEngine({ dataDir: join(dataDir, 'engine') });
  const client = await new MongoClient(engine.url, { retryWrites: false }).connect();
  const targets: Target[] = [];
  try {
    for (const form of forms) {
      const { database, ...target } = await startForm(form, client, { url: engine.url, dataDir });
      targets.push(target);
      if (targets.length === 1) await copyForLimit(database, client.db('limit'));
    }
    const { projectId = '', subjects = [] } = targets[0]?.seeded ?? {};
    const limit = await startLimit([engine.url, 'limit', projectId, JSON.stringify(subjects)]);
    // It has copies of the dashboards of the first.
    targets.unshift(...targets.slice(0, 1).map(({ seeded }) => ({ server: limit, seeded })));
    return await compare(targets, settings);
  } finally {
    for (const { server } of targets.toReversed()) await server.stop();
    await client.close();
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const isQuick = process.argv.includes('--quick');
const only = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length);
const settings = { ...(isQuick ? QUICK : FULL), only };
const forms = (['standalone', 'mesh'] as const).filter((form) => !process.argv.includes(`--without-${form}`));
const runValidation = async () =>
  reportValidation(await measureValidation(isQuick ? [200] : [1000, 10_000], isQuick ? 20 : 200));
const runPreviews = async () =>
  reportPreviews(
    await measurePreviews({ seconds: settings.seconds, sizes: isQuick ? [10, 1000] : [10, 10_000] }),
  );
const isValidation = only === 'validation';
const runEvents = async () => reportEvents(await measureEvents(isQuick ? 5000 : 50_000));
const runAudit = async () =>
  reportAudit(await measureAudit(isQuick ? 20_000 : 1_000_000, isQuick ? 20 : 200));
const runMigration = async () => reportMigration(await measureMigration(isQuick ? 5 : 20));
const runScale = async () => reportScale(await measureScale(isQuick ? 2 : 10));
const runStarts = async () => reportStarts(await measureStarts(isQuick ? 1 : 5));
const isMigration = only === 'migration';
const isScale = only === 'scale';
const isStart = only === 'start';
const isPreviews = only === 'preview';
const isEvents = only === 'events';
const isAudit = only === 'audit';
const rows =
  isValidation || isPreviews || isEvents || isAudit || isMigration || isScale || isStart
    ? []
    : await compareForms(forms, settings);
if (isValidation) process.stdout.write(await runValidation());
if (isAudit) process.stdout.write(await runAudit());
if (isMigration) process.stdout.write(await runMigration());
if (isEvents) process.stdout.write(await runEvents());
if (isScale) process.stdout.write(await runScale());
if (isStart) process.stdout.write(await runStarts());
if (isPreviews) process.stdout.write(await runPreviews());
if (only === undefined) {
  const growth = await measureGrowth(isQuick ? [20_000] : [20_000, 1_000_000]);
  const idle = await measureIdleMemory();
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  const text =
    report({ machine, rows, growth, idle, settings }) +
    (await runValidation()) +
    (await runPreviews()) +
    (await runEvents()) +
    (await runAudit()) +
    (await runMigration()) +
    (await runScale()) +
    (await runStarts());
  process.stdout.write(text);
  if (!isQuick) await writeFile(RESULTS, text);
}
