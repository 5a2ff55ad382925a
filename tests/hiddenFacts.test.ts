import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRequest } from './src/api.js';
import { foundOrganization, type CanaryOrganization } from './src/canaries/organization.js';
import { startReceiver } from './src/canaries/receiver.js';
import { Canaries } from './src/canaries/registry.js';
import { STAGES, type Stage } from './src/hiddenFacts/changes.js';
import { addSharedRecords, cursorRequests, tokenRequests } from './src/hiddenFacts/groundwork.js';
import { observe, type Question } from './src/hiddenFacts/observe.js';
import { isBlocked, phaseOf, probesOf, type Phase, type Probe } from './src/hiddenFacts/questions.js';
import { startTwin, startWorld, type World } from './src/hiddenFacts/twins.js';
import { addOrganization } from './src/secondOrganization.js';
import { mapSideBySide } from './src/sideBySide.js';

const isFull = process.env['FUZZ_FULL'] === '1';
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_101);
/** Requests by each caller to each route that is no GET: a sample, or all of them with `FUZZ_FULL`. */
const REQUESTS = isFull ? Infinity : 2;
const NAMES = ['sample', 'Renamed', 'sample@example.com'];
/** How many names of other records requests contain. */
const FURTHER_NAMES = isFull ? Infinity : 6;

const REPETITIONS = 8;
const isRead = ([probe]: readonly Probe[]) => probe?.method === 'GET';
const STATUS_AT = '{"status":'.length;

const statusOf = (answer = '') => Number(answer.slice(STATUS_AT, STATUS_AT + 3));
const isRepeatable = (question: Question, answers: readonly (string | undefined)[]) =>
  phaseOf(question) === 'read' || answers.every((answer) => statusOf(answer) >= 400);

describe('two worlds that differ only in', () => {
  const canaries = new Canaries();
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let base: World;
  let organizations: readonly [CanaryOrganization, CanaryOrganization];
  let probes: Probe[][];
  let known: Set<string>;

  beforeAll(async () => {
    receiver = await startReceiver();
    base = await startWorld();
    const { api, credentials } = base;
    const other = await addOrganization(base.mongo, credentials);
    const found = (name: string, { projectId, projectSecret, adminOrgUserId }: typeof other) => {
      const founding = { name, api, canaries, webhookUrl: receiver.url };
      return foundOrganization({
        ...founding,
        project: { projectId, projectSecret },
        adminId: adminOrgUserId,
      });
    };
    organizations = [await found('here', credentials), await found('there', other)];
    const names = [...canaries.byText].flatMap(([text, { field, isSecret }]) =>
      /\.(name|title|tag)$/.test(field) && !isSecret ? [text] : [],
    );
    const [here] = organizations;
    const [shuffled = []] = fc.sample(fc.shuffledSubarray(names, { minLength: names.length }), {
      numRuns: 1,
      seed: SEED,
    });
    await addSharedRecords(api, here);
    const further = [...(await tokenRequests(api, here)), ...(await cursorRequests(api, here))];
    probes = probesOf(organizations, [...NAMES, ...shuffled.slice(0, FURTHER_NAMES)], further);
    known = new Set(organizations.flatMap(({ ids }) => Object.values(ids).flat()));
    await base.stop();
  });
  afterAll(async () => {
    await base[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  /** Every GET, and the other requests to each route or a sample of them, by each caller. */
  function plan({ callers }: Stage): Question[] {
    return callers.flatMap((caller, n) =>
      probes.flatMap((all, route) => {
        const size = isRead(all) ? all.length : Math.min(all.length, REQUESTS);
        const sizes = { minLength: size, maxLength: size };
        const options = { numRuns: 1, seed: SEED + n * 1000 + route };
        const [sample = []] = fc.sample(fc.shuffledSubarray(all, sizes), options);
        const token = organizations[0].tokens[caller] ?? null;
        return sample.map((probe) => ({ ...probe, caller, token }));
      }),
    );
  }

  /** The differences between the worlds, as sentences. */
  async function compare(worlds: readonly World[], questions: readonly Question[]): Promise<string[]> {
    const ask = async (question: Question): Promise<string[]> => {
      const askBoth = () => Promise.all(worlds.map(({ api }) => observe(api.baseUrl, question, known)));
      let [one, two] = await askBoth();
      // Which of two faults is named first may depend on time. What failed in both changed nothing.
      for (let n = 0; n < REPETITIONS && one !== two && isRepeatable(question, [one, two]); n += 1)
        [one, two] = await askBoth();
      if (one === two || isBlocked(question.route, statusOf(one), statusOf(two))) return [];
      const { caller, method, path, body } = question;
      return [`${caller}: ${method} ${path} ${body}\n    ${one}\n    ${two}`];
    };
    const found: string[] = [];
    const inPhase = (phase: Phase) => questions.filter((each) => phaseOf(each) === phase);
    // Later, the log has refusals, whose order depends on time.
    for (const question of inPhase('log')) found.push(...(await ask(question)));
    found.push(...(await mapSideBySide(inPhase('read'), ask)).flat());
    for (const question of [...inPhase('keyed'), ...inPhase('change'), ...inPhase('deletion')])
      found.push(...(await ask(question)));
    return found;
  }

  it.each(STAGES)('$fact look the same to those who may not see them', async (stage) => {
    await using first = await startTwin(base);
    await using second = await startTwin(base);
    await stage.change(second.api.baseUrl, organizations);
    await second.settle();
    const { in: place, caller, path } = stage.witness;
    const token = organizations[place].tokens[caller] ?? null;
    const seen = [first, second].map(({ api }) =>
      sendRequest(api.baseUrl, ['GET', path], {
        headers: { authorization: `Bearer ${token}` },
      }),
    );
    const [one, two] = await Promise.all(seen);
    expect(one?.body, 'the witness sees the difference').not.toEqual(two?.body);
    expect(await compare([first, second], plan(stage))).toEqual([]);
  });
});
