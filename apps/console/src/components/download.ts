/** Saves a text as a file on the machine of the user. */
export function download(name: string, type: string, parts: string[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
