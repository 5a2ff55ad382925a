import { openDirectory, type DirectoryRuntime } from '../directory.js';
import { rotateSigningKey } from '../tokens/rotateSigningKey.js';
import { operatorContext } from './operatorContext.js';

/**
 * `--rotate-key`: rotates the key that signs access tokens. The former key verifies until its last token
 * expires.
 */
export async function rotateKey(runtime: DirectoryRuntime): Promise<void> {
  const { kid } = await rotateSigningKey(await openDirectory(runtime), {}, operatorContext(runtime));
  process.stdout.write(`Tokens are signed with ${kid} from now on\n`);
}
