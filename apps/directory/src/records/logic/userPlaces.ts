// The directory generates ids of org users with this prefix, and rejects tenant user ids that start with it.
export const isOrgUserId = (id: string) => id.startsWith('ou_');

/** The place of a user in a list by id: org users come first. Places have the order of texts. */
export const placeOf = (id: string) => `${isOrgUserId(id) ? 0 : 1} ${id}`;

/** The id of the user at a place. */
export const userIdAt = (place: string) => place.slice(2);
