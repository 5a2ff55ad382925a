import { cpus } from 'node:os';
import { APPS, CONNECTIONS, PARTS, type InstanceCost, type InstanceResults } from './instances.js';

/** CPU time of the gateways and services per request, in microseconds: what more instances divide. */
const ownUs = ({ cpuUs }: InstanceCost) => APPS.reduce((sum, app) => sum + cpuUs[app], 0);

/** Requests per second of CPU time of the gateways and services: the throughput of one core. */
const perCore = (cost: InstanceCost) => 1_000_000 / ownUs(cost);

function instanceLine(cost: InstanceCost, one: InstanceCost | undefined): string {
  const ratio = one === undefined ? Number.NaN : perCore(cost) / perCore(one);
  const cells = [cost.work, cost.instances, Math.round(cost.requestsPerSecond), Math.round(perCore(cost))];
  return `| ${[...cells, ratio.toFixed(2), cost.failures].join(' | ')} |`;
}

/** Of twenty requests. */
const MIX: Readonly<Record<string, number>> = {
  read: 13,
  'check access': 2,
  list: 1,
  update: 3,
  share: 1,
};
const MIX_SIZE = Object.values(MIX).reduce((sum, count) => sum + count, 0);
const RATES = [1000, 10_000, 100_000] as const;
/** The share of its core that a process uses at most, so that requests do not wait. */
const BUSY_MAX = 0.7;

/** CPU time of a request of the mix in one part, in microseconds. */
const mixedUs = (single: readonly InstanceCost[], part: (typeof PARTS)[number]) =>
  single.reduce((sum, { work, cpuUs }) => sum + (cpuUs[part] * (MIX[work] ?? 0)) / MIX_SIZE, 0);

/** The processes of each part for a rate: each uses one core; of the engine and NATS, the cores. */
function planLine(single: readonly InstanceCost[], rate: number): string {
  const cores = PARTS.map((part) => (mixedUs(single, part) * rate) / 1_000_000 / BUSY_MAX);
  return `| ${rate.toLocaleString('en')} | ${cores.map((count) => Math.ceil(count)).join(' | ')} |`;
}

/** The results as a section of Markdown. */
export function reportInstances({ costs, memoryMb }: InstanceResults): string {
  const oneOf = (cost: InstanceCost) =>
    costs.find(({ work, instances }) => work === cost.work && instances === 1);
  const single = costs.filter(({ instances }) => instances === 1);
  const costLines = single.map(
    ({ work, cpuUs }) => `| ${work} | ${PARTS.map((part) => Math.round(cpuUs[part])).join(' | ')} |`,
  );
  return `
## Several gateways and services

One, two and four gateways, each with one process of every service of its own; one engine and one NATS server.
All of them and the load share ${cpus().length} cores, with ${CONNECTIONS} connections in all.
The numbers of instances are loaded alternately; the table shows medians.
Requests per CPU second are those of one core that the gateways and services keep busy.
The ratio compares them with one instance.

| work | instances | requests/s | requests per CPU second | ratio | failures |
|---|---|---|---|---|---|
${costs.map((cost) => instanceLine(cost, oneOf(cost))).join('\n')}

CPU time per request with one instance, in microseconds, until the events of the requests are processed:

| work | ${PARTS.join(' | ')} |
|---|${PARTS.map(() => '---').join('|')}|
${costLines.join('\n')}

For a mix of ${MIX_SIZE} requests (${Object.entries(MIX)
    .map(([work, count]) => `${count} ${work}`)
    .join(', ')}), in microseconds per request,
and the processes for a rate if each uses at most ${BUSY_MAX * 100} % of a core;
for the engine and NATS, the cores:

| requests/s | ${PARTS.join(' | ')} |
|---|${PARTS.map(() => '---').join('|')}|
| µs per request | ${PARTS.map((part) => Math.round(mixedUs(single, part))).join(' | ')} |
${RATES.map((rate) => planLine(single, rate)).join('\n')}

Resident memory of the largest process of each kind after these loads, in MB:

| ${PARTS.join(' | ')} |
|${PARTS.map(() => '---').join('|')}|
| ${PARTS.map((part) => Math.round(memoryMb[part])).join(' | ')} |
`;
}
