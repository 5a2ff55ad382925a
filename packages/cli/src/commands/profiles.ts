import { chooseProfile, deleteProfile, listProfiles, readProfile, setCurrentProfile } from '../profiles.js';
import type { Command } from '../command.js';
import { usageError } from '../failures.js';
import { formatTable } from '../layout.js';

const PROFILE = [{ name: 'profile' }];

const noProfile = (name: string) => usageError(`There is no profile ${name}: see gatehouse profile list`);

const list: Command = {
  name: 'profile list',
  summary: 'List the stored logins; * marks the one that commands use',
  async run(_given, { environment, profile }) {
    const { name: current } = await chooseProfile(environment, profile);
    const profiles = (await listProfiles(environment)).map(
      ({ name, baseUrl, projectId, orgUserId, endUserId }) => ({
        name,
        isCurrent: name === current,
        baseUrl,
        projectId,
        userId: orgUserId ?? endUserId ?? null,
      }),
    );
    const rows = profiles.map(({ name, isCurrent, baseUrl, projectId, userId }) => [
      isCurrent ? '*' : ' ',
      name,
      baseUrl,
      projectId,
      userId,
    ]);
    return {
      json: { profiles },
      text: formatTable(['CURRENT', 'NAME', 'ADDRESS', 'PROJECT', 'USER'], rows, 'No profiles.'),
    };
  },
};

const use: Command = {
  name: 'profile use',
  summary: 'Use this stored login from now on',
  positionals: PROFILE,
  async run(given, { environment, terminal }) {
    const name = given.required('profile');
    const profile = await readProfile(environment, name);
    if (!profile) throw noProfile(name);
    await setCurrentProfile(environment, name);
    if (environment.profile !== undefined && environment.profile !== name)
      terminal.writeError(
        `gatehouse: warning: GATEHOUSE_PROFILE is ${environment.profile}, and takes precedence\n`,
      );
    const { baseUrl } = profile;
    return { json: { profile: name, baseUrl }, text: `The current profile is ${name}: ${baseUrl}.\n` };
  },
};

const remove: Command = {
  name: 'profile delete',
  summary: 'Delete a stored login; nothing changes on its server',
  positionals: PROFILE,
  async run(given, { environment }) {
    const name = given.required('profile');
    const { name: current } = await chooseProfile(environment, undefined);
    if (!(await deleteProfile(environment, name))) throw noProfile(name);
    const isCurrent = name === current;
    const next = isCurrent ? 'It was the current profile: choose another with gatehouse profile use.\n' : '';
    return { json: { profile: name, wasCurrent: isCurrent }, text: `Deleted profile ${name}.\n${next}` };
  },
};

export const profileCommands: readonly Command[] = [list, use, remove];
