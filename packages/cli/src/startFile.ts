import type { Context } from './command.js';
import { readObject } from './files.js';

/** The option that names the file of a first start. */
export const FROM = {
  value: 'file',
  summary: 'take all of it from the credentials.json that the first start wrote',
};

/** The fields of the file of a first start, as far as it contains them. */
export async function readStartFile(file: string | undefined, context: Context) {
  const fields = file === undefined ? {} : await readObject(file, context);
  const read = (name: string) => (typeof fields[name] === 'string' ? fields[name] : undefined);
  return {
    url: read('baseUrl'),
    projectId: read('projectId'),
    projectSecret: read('projectSecret'),
    orgUserId: read('adminOrgUserId'),
  };
}
