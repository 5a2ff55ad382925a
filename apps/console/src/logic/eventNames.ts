/** The type of an event in words: `management.dashboard_share.granted.v1` as "Dashboard share granted". */
export function describeEvent(type: string): string {
  const [, noun = '', verb = ''] = type.split('.');
  const text = `${noun} ${verb}`.replaceAll('_', ' ').trim();
  return text === '' ? type : text.charAt(0).toUpperCase() + text.slice(1);
}
