import type { Page } from '@gatehouse/testing';

/** Less than the first lines of any tested stream. */
const BYTES = 2000;

/**
 * Lets the page receive the first bytes of each response whose address contains a text, and nothing more
 * until `end` is called: then the rest arrives, or the connection breaks.
 */
export async function holdStreams(
  page: Page,
  address: string,
): Promise<{ end(how: 'rest' | 'cut'): Promise<void> }> {
  await page.evaluate(`{
    const send = window.fetch;
    const held = new Promise((resolve, reject) => {
      window.endStreams = (how) => {
        window.fetch = send;
        if (how === 'rest') resolve();
        else reject(new TypeError('The connection broke'));
      };
    });
    held.catch(() => {});
    const hold = async (chunk, controller) => {
      controller.enqueue(chunk.slice(0, ${BYTES}));
      await held;
      controller.enqueue(chunk.slice(${BYTES}));
    };
    window.fetch = async (...request) => {
      const response = await send(...request);
      if (!String(request[0]).includes(${JSON.stringify(address)})) return response;
      const body = response.body.pipeThrough(new TransformStream({ transform: hold }));
      return new Response(body, response);
    };
  }`);
  return { end: (how) => page.evaluate(`window.endStreams(${JSON.stringify(how)})`) };
}
