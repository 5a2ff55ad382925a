import { fold } from './fold.js';

/** What is stored of a person's name and e-mail beside them, so that finding and sorting disregard case. */
export interface FoldedPerson {
  name: string;
  nameFolded: string;
  email: string;
  emailFolded: string;
  /** What a search looks into; apart from each other, so that no match spans both. */
  searchTexts: string[];
}

/** The stored form of a name and an e-mail. */
export function foldPerson({ name, email }: { name: string; email: string }): FoldedPerson {
  const nameFolded = fold(name);
  const emailFolded = fold(email);
  return { name, nameFolded, email, emailFolded, searchTexts: [nameFolded, emailFolded] };
}

/** The part of an e-mail before the `@`: what a person without a name is called. */
export function localPartOf(email: string): string {
  return email.slice(0, email.lastIndexOf('@'));
}
