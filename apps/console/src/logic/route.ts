/** Where in the console somebody is, as the part of the address after `#` says it: `#/access/d_1?user=ou_2`. */
export interface Route {
  view: string;
  /** What the view is about; null where the address names nothing. */
  id: string | null;
  params: URLSearchParams;
}

/** Reads the part of an address from `#` on. What cannot be understood leads to no view. */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [view = '', id = ''] = path.split('/').map(decode);
  return { view, id: id === '' ? null : id, params: new URLSearchParams(query) };
}

/** The address of a view. Parameters that are empty are left out. */
export function formatRoute(view: string, id: string | null = null, params: Record<string, string> = {}) {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== '')).toString();
  const path = id === null ? view : `${view}/${encodeURIComponent(id)}`;
  return `#/${path}${query === '' ? '' : `?${query}`}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
