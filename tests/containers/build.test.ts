import { getContainerRuntimeClient, ImageName } from 'testcontainers';
import { describe, expect, it } from 'vitest';
import { findBlock, repository, runCommands } from '../src/docCommands.js';
import { APPS } from './images.js';

const PAGE = 'docs/containers.md';
const IMAGES = (await findBlock(PAGE, 'docker build -f infra/Dockerfile')).text;
const STAND_INS = (await findBlock(PAGE, 'docker build -f tests/containers/images')).text;
const ALL = /(?<=for service in )[a-z ]+(?=;)/;
const LIMIT_MS = 30 * 60_000;

async function succeed(commands: string): Promise<string> {
  const { code, output, errors } = await runCommands(commands, { folder: repository, environment: {} });
  expect({ code, said: code === 0 ? '' : (output + errors).slice(-2000) }).toEqual({ code: 0, said: '' });
  return output + errors;
}

async function readLabels(image: string): Promise<Record<string, string>> {
  const { Config } = await (await getContainerRuntimeClient()).image.inspect(ImageName.fromString(image));
  return Config.Labels;
}

describe('the docker build commands of the page', { timeout: LIMIT_MS }, () => {
  it('build the image of each process; tested with one, because they share a Dockerfile', async () => {
    expect(ALL.exec(IMAGES)?.[0].split(' ').toSorted()).toEqual([...APPS].toSorted());
    const image = 'gatehouse/gateway:local';
    expect(await succeed(IMAGES.replace(ALL, 'gateway'))).toContain(image);
    expect(await readLabels(image)).toMatchObject({ 'org.opencontainers.image.title': 'gatehouse-gateway' });
  });

  it('build the substitute images, and configure the suite for them', async () => {
    const said = await succeed(`${STAND_INS}\necho "$NATS_IMAGE is NATS, $MONGO_IMAGE is MongoDB"`);
    expect(said).toContain(
      'gatehouse/nats-standin:local is NATS, gatehouse/mongodb-standin:local is MongoDB',
    );
    expect(await readLabels('gatehouse/mongodb-standin:local')).toMatchObject({
      'dev.gatehouse.stands-in-for': 'mongodb',
    });
  });
});
