import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { measureAudit, reportAudit } from './audit.js';
import { measureChecks, reportChecks } from './checks.js';
import { WORKS } from './compare.js';
import { measureConsole, reportConsole } from './console/consoleScale.js';
import { measureDocuments, reportDocuments } from './documents.js';
import { measureEvents, reportEvents } from './events.js';
import { compareForms } from './forms.js';
import { measureGrowth, reportGrowth } from './growth.js';
import { measureInstances } from './instances.js';
import { measureMigration, reportMigration } from './migration.js';
import { measureObservability, reportObservability } from './observability.js';
import { measurePreviews, reportPreviews } from './policy.js';
import { reportInstances } from './reportInstances.js';
import { reportComparison, reportMachine } from './report.js';
import { measureRest, reportRest } from './rest.js';
import { dated, withSection } from './resultsPage.js';
import { measureSoak, reportSoak } from './soak.js';
import { measureStarts, reportStarts } from './start.js';
import { measureValidation, reportValidation } from './validation.js';
import { measureWide, reportWide } from './wide.js';

const RESULTS = fileURLToPath(new URL('../results.md', import.meta.url));

const isQuick = process.argv.includes('--quick');
const isStored = process.argv.includes('--store');
const only = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length);
const isIncluded = (name: string) => !process.argv.includes(`--without-${name}`);
const forms = (['standalone', 'mesh'] as const).filter(isIncluded);
/** The second form only shows that it works; its numbers are meaningless and are not stored. */
const size = <T>(full: T, quick: T): T => (isQuick ? quick : full);
const timing = { seconds: size(3, 1), rounds: size(3, 1) };

async function comparison(): Promise<string> {
  const works = WORKS.filter((work) => only === undefined || only === 'comparison' || work === only);
  const settings = { ...timing, works };
  const compared = { forms, hasParse: isIncluded('parse') };
  return reportComparison(await compareForms(compared, settings), settings);
}

/** The parts of the page of results, in its order. */
const PARTS: Record<string, () => Promise<string>> = {
  comparison,
  growth: async () => reportGrowth(await measureGrowth(size([20_000, 200_000, 1_000_000], [1000, 5000]))),
  documents: async () => reportDocuments(await measureDocuments(size(20_000, 2000), size(500, 20))),
  rest: async () => reportRest(await measureRest(size(60, 5))),
  validation: async () => {
    return reportValidation(await measureValidation(size([1000, 10_000], [200]), size(200, 20)));
  },
  preview: async () => {
    const sizes = size([10, 10_000], [10, 1000]);
    return reportPreviews(await measurePreviews({ seconds: timing.seconds, sizes }));
  },
  checks: async () => reportChecks(await measureChecks(timing.seconds)),
  events: async () => reportEvents(await measureEvents(size(50_000, 5000))),
  audit: async () => reportAudit(await measureAudit(size(1_000_000, 20_000), size(200, 20))),
  console: async () => reportConsole(await measureConsole(size(3, 1), !isQuick)),
  migration: async () => reportMigration(await measureMigration(size(20, 5))),
  observability: async () => reportObservability(await measureObservability(size(3, 1))),
  instances: async () => reportInstances(await measureInstances(size(3, 1), size(3, 1))),
  soak: async () => reportSoak(await measureSoak(size(60, 6))),
  wide: async () => {
    const tenth = size(1, 0.1);
    const sizes = {
      groupsOfUser: 2000 * tenth,
      // The most that a group may have.
      membersOfGroup: 100_000 * tenth,
      sharesOfDashboard: 10_000 * tenth,
      usersOfTenant: 100_000 * tenth,
      usersOfOrganization: 1_000_000 * tenth,
    };
    return reportWide(await measureWide(sizes, size(4, 2)));
  },
  start: async () => reportStarts(await measureStarts(size(5, 1))),
};

const NAMES = [...Object.keys(PARTS), ...WORKS].join(', ');

function partsToMeasure(): (() => Promise<string>)[] {
  if (only === undefined) return Object.values(PARTS);
  const part = WORKS.some((work) => work === only) ? comparison : PARTS[only];
  if (part) return [part];
  throw new Error(`--only= takes one of ${NAMES}`);
}

if (process.argv.includes('--help')) {
  process.stdout.write(`npm run bench -- [--quick] [--only=<part>] [--store] [--without-<server>]

Without options it measures everything, in about an hour, and writes bench/results.md.

  --quick                a short run that only shows that the benchmarks work
  --only=<part>          one part: ${NAMES}
  --store                replaces the part in bench/results.md
  --without-standalone   leaves one process out of the comparison
  --without-mesh         leaves the mesh out of the comparison
  --without-parse        leaves out Parse Server, which is installed from npm into a temporary folder
`);
  process.exit();
}

if (isStored && (isQuick || WORKS.some((work) => work === only)))
  throw new Error('--store takes a whole part, and no --quick');
const today = new Date().toISOString().slice(0, 10);
const isWhole = only === undefined && !isQuick;
let page = isWhole ? reportMachine() : await readFile(RESULTS, 'utf8');
for (const measure of partsToMeasure()) {
  const section = dated(await measure(), today);
  process.stdout.write(section);
  page = withSection(page, section);
}
if (isWhole || isStored) {
  await writeFile(RESULTS, page);
  await import('./drawCharts.js');
}
