import type { KubernetesObject } from './objects.js';

/** The prefix of each object in the API's protobuf. */
const MAGIC = Buffer.from('k8s\0');
const VARINT = 0;
const LENGTH_DELIMITED = 2;

/** The fields of a message that are texts, bytes or messages, by their number. */
type Fields = ReadonlyMap<number, readonly Buffer[]>;

function readFields(bytes: Buffer): Fields {
  const fields = new Map<number, Buffer[]>();
  let at = 0;
  const readNumber = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes.readUInt8(at++);
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = readNumber();
    const size = readNumber();
    if (tag % 8 === VARINT) continue;
    if (tag % 8 !== LENGTH_DELIMITED) throw new Error(`A field of wire type ${tag % 8} is not understood`);
    const number = Math.floor(tag / 8);
    fields.set(number, [...(fields.get(number) ?? []), bytes.subarray(at, at + size)]);
    at += size;
  }
  return fields;
}

const messageAt = (fields: Fields, number: number) => readFields(fields.get(number)?.[0] ?? Buffer.alloc(0));
const textAt = (fields: Fields, number: number) => fields.get(number)?.[0]?.toString() ?? '';

/**
 * A Secret in the API's protobuf, which kubectl has sent since its version 1.32 for `create secret`. The
 * numbers are those of `k8s.io/api/core/v1/generated.proto`.
 *
 * @throws Error for any other message
 */
export function readSecret(body: Buffer): KubernetesObject {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('This is no object of Kubernetes');
  const envelope = readFields(body.subarray(MAGIC.length));
  const [apiVersion, kind] = [1, 2].map((number) => textAt(messageAt(envelope, 1), number));
  if (apiVersion !== 'v1' || kind !== 'Secret') throw new Error('Only a Secret may come as protobuf');
  const secret = messageAt(envelope, 2);
  const metadata = messageAt(secret, 1);
  const namespace = textAt(metadata, 3);
  const entries = (secret.get(2) ?? []).map(readFields);
  return {
    apiVersion,
    kind,
    metadata: { name: textAt(metadata, 1), ...(namespace !== '' && { namespace }) },
    data: Object.fromEntries(
      entries.map((entry) => [textAt(entry, 1), entry.get(2)?.[0]?.toString('base64') ?? '']),
    ),
  };
}
