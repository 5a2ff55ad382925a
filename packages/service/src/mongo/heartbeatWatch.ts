import type { MongoClient, ServerHeartbeatStartedEvent } from 'mongodb';

/** Twice what a heartbeat may take to connect; one that waits for news takes ten seconds more. */
const UNANSWERED_MS = 6_000;
const UNANSWERED_AWAITED_MS = 20_000;
/** An answer that came while the process itself stood still is read before this is over. */
const SECOND_LOOK_MS = 1_000;

/**
 * Connects anew when a heartbeat is neither answered nor refused. The driver waits for ever when the connection ends just as it
 * sends one, asks no more, and takes the server to be away for as long as the process lives. What was opened over the client
 * stays good. Gives a function that ends the watch.
 */
export function reconnectWhenUnanswered(client: MongoClient): () => void {
  const waiting = new Map<string, NodeJS.Timeout>();
  const settle = ({ connectionId }: { connectionId: string }) => {
    clearTimeout(waiting.get(connectionId));
    waiting.delete(connectionId);
  };
  const endWatch = () => {
    for (const timer of waiting.values()) clearTimeout(timer);
    waiting.clear();
    client.off('serverHeartbeatStarted', expect);
  };
  const reconnect = async () => {
    endWatch();
    await client.close();
    client.on('serverHeartbeatStarted', expect);
    // A server that is away is found by the next call: each connects where there is no connection.
    await client.connect().catch(() => undefined);
  };
  const expect = (heartbeat: ServerHeartbeatStartedEvent) => {
    settle(heartbeat);
    const limitMs = heartbeat.awaited ? UNANSWERED_AWAITED_MS : UNANSWERED_MS;
    const wait = (ms: number, end: () => void) =>
      waiting.set(heartbeat.connectionId, setTimeout(end, ms).unref());
    wait(limitMs, () => wait(SECOND_LOOK_MS, () => void reconnect()));
  };
  client.on('serverHeartbeatStarted', expect);
  client.on('serverHeartbeatSucceeded', settle);
  client.on('serverHeartbeatFailed', settle);
  return endWatch;
}
