/** Folds a text for comparison without regard to case. */
export function fold(value: string): string {
  return value.normalize('NFC').toLowerCase();
}

/** A person's name and e-mail with their folded forms, which search and sort use. */
export interface FoldedPerson {
  name: string;
  nameFolded: string;
  email: string;
  emailFolded: string;
  /** The texts that a search matches. They are separate, so that no match spans both. */
  searchTexts: string[];
}

/** The stored form of a name and an e-mail. */
export function foldPerson({ name, email }: { name: string; email: string }): FoldedPerson {
  const nameFolded = fold(name);
  const emailFolded = fold(email);
  return { name, nameFolded, email, emailFolded, searchTexts: [nameFolded, emailFolded] };
}

/** The part of an e-mail before the `@`: the default name of a person. */
export function localPartOf(email: string): string {
  return email.slice(0, email.lastIndexOf('@'));
}
