/** Text as it is compared without regard to case. */
export function fold(value: string): string {
  return value.normalize('NFC').toLowerCase();
}
