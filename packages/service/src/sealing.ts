import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Seals what must be readable again, such as a private key, for storage: AES-256-GCM with a random nonce. */
export interface Sealer {
  /** `context` binds the sealed text to its place, so that it cannot be moved to another. */
  seal(plain: string, context: string): string;
  /** Throws when the text was changed, moved or sealed with a key that is not known any more. */
  open(sealed: string, context: string): string;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const keyName = (key: Buffer) => createHash('sha256').update(key).digest('base64url').slice(0, 8);

/** Reads keys as `SEALING_KEYS` holds them, separated by commas. The first seals; all open, so that keys can be rotated. */
export function createSealer(sealingKeys: string): Sealer {
  const keys = sealingKeys.split(',').map((text) => Buffer.from(text.trim(), 'base64'));
  if (keys.some((key) => key.length !== KEY_BYTES))
    throw new Error('SEALING_KEYS must hold keys of 32 bytes in base64');
  const byName = new Map(keys.map((key) => [keyName(key), key]));
  const [current] = keys as [Buffer];
  return {
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `${keyName(current)}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(sealed, context) {
      const [name = '', text = ''] = sealed.split('.');
      const key = byName.get(name);
      if (!key) throw new Error('Sealed with a key that is not configured');
      const bytes = Buffer.from(text, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES)).setAAD(
        Buffer.from(context),
      );
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const body = bytes.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    },
  };
}
