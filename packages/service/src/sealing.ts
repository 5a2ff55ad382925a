import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** What is found of a signature; `unknownKey` says that the key it was made with is not configured. */
export type SignatureJudgement = 'right' | 'wrong' | 'unknownKey';

/** Seals what must be readable again, such as a private key, for storage: AES-256-GCM with a random nonce. */
export interface Sealer {
  /** `context` binds the sealed text to its place, so that it cannot be moved to another. */
  seal(plain: string, context: string): string;
  /** Throws when the text was changed, moved or sealed with a key that is not known any more. */
  open(sealed: string, context: string): string;
  /** Whether the first key sealed it. */
  isCurrent(sealed: string): boolean;
  /**
   * Signs what stays readable: HMAC-SHA-256, whose key is derived from the first key (HKDF, RFC 5869) and used for nothing
   * else. `context` says what is signed and holds no line break: what is good for one kind is not for another.
   */
  sign(text: string, context: string): string;
  judgeSignature(signature: string, text: string, context: string): SignatureJudgement;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const SIGNING_PURPOSE = 'gatehouse signature';
/** The name of the key, and 32 bytes. */
const SIGNATURE = /^[\w-]{8}\.[\w-]{43}$/;

const keyName = (key: Buffer) => createHash('sha256').update(key).digest('base64url').slice(0, 8);

function signWith(key: Buffer): (text: string, context: string) => string {
  const signingKey = Buffer.from(hkdfSync('sha256', key, '', SIGNING_PURPOSE, KEY_BYTES));
  const prefix = `${keyName(key)}.`;
  return (text, context) =>
    prefix + createHmac('sha256', signingKey).update(`${context}\n${text}`).digest('base64url');
}

/** Reads keys as `SEALING_KEYS` holds them, separated by commas. The first seals; all open, so that keys can be rotated. */
export function createSealer(sealingKeys: string): Sealer {
  const keys = sealingKeys.split(',').map((text) => Buffer.from(text.trim(), 'base64'));
  if (keys.some((key) => key.length !== KEY_BYTES))
    throw new Error('SEALING_KEYS must hold keys of 32 bytes in base64');
  const byName = new Map(keys.map((key) => [keyName(key), key]));
  const signers = new Map(keys.map((key) => [keyName(key), signWith(key)]));
  const [current] = keys as [Buffer];
  const sign = signWith(current);
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
    isCurrent: (sealed) => sealed.startsWith(`${keyName(current)}.`),
    sign,
    judgeSignature(signature, text, context) {
      if (!SIGNATURE.test(signature)) return 'wrong';
      const signer = signers.get(signature.split('.', 1)[0] ?? '');
      if (!signer) return 'unknownKey';
      return timingSafeEqual(Buffer.from(signature), Buffer.from(signer(text, context))) ? 'right' : 'wrong';
    },
  };
}
