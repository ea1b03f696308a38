/**
 * The server: REST, WebSocket, event streams, metrics and the pages, over a live session or over files alone.
 *
 * @module skein/server
 * @example
 * import { serve } from 'skein/server';
 *
 * const server = await serve(undefined, { port: 0 });
 * console.log(server.url);
 * await server.close();
 */

export { HttpError } from '../server/http.ts';
export { type RunningServer, type ServerOptions, serve } from '../server/server.ts';
export { SessionView } from '../server/session-view.ts';
export type { BusSummary, LatestMessage, LiveAction, LiveView, ServedFile } from '../server/view.ts';
export type * from '../server/wire.ts';
