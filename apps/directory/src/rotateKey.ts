import type { DirectoryRuntime } from './directory.js';
import { rotateSigningKey } from './operations/signingKeys.js';
import { operatorContext } from './operatorContext.js';
import { openDirectory } from './service.js';

/** `--rotate-key`: makes a new key that access tokens are signed with. The former one verifies until its last token has ended. */
export async function rotateKey(runtime: DirectoryRuntime): Promise<void> {
  const { kid } = await rotateSigningKey(await openDirectory(runtime), {}, operatorContext(runtime));
  process.stdout.write(`Tokens are signed with ${kid} from now on\n`);
}
