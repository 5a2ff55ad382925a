import type { Databases } from '@gatehouse/service';

interface Damage {
  collection: string;
  field: string;
  value: unknown;
}

/** What no program writes: every way into the platform leads over one of these documents. */
const DAMAGE: Damage[] = [
  // For requests of the ADMIN: its role is invalid.
  { collection: 'orgUsers', field: 'role', value: 'NOBODY' },
  // For requests for a token: the stored secret is not a text.
  { collection: 'projects', field: 'secretHash', value: 7 },
  // For requests for the public keys: one has another type.
  { collection: 'signingKeys', field: 'publicJwk.kty', value: 'none' },
];

/**
 * Damages the directory's documents of the first project and its ADMIN, so that reading them fails. Returns
 * the repair.
 */
export async function damageDirectory(
  databases: Databases,
  { adminId, projectId }: { adminId: string; projectId: string },
): Promise<() => Promise<void>> {
  const database = databases.of('directory');
  const filters: Record<string, object> = {
    orgUsers: { id: adminId },
    projects: { _id: projectId },
    signingKeys: {},
  };
  const originals = await Promise.all(
    DAMAGE.map(async ({ collection, field, value }) => {
      const documents = database.collection(collection);
      const original = await documents.findOne(filters[collection] ?? {});
      await documents.updateOne({ _id: original?._id }, { $set: { [field]: value } });
      return { documents, original };
    }),
  );
  return async () => {
    for (const { documents, original } of originals) {
      if (original) await documents.replaceOne({ _id: original._id }, original);
    }
  };
}
