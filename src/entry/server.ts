/** The server, for programs that have a view of their own to show. */
export { HttpError } from '../server/http.ts';
export { type RunningServer, type ServerOptions, serve } from '../server/server.ts';
export { SessionView } from '../server/session-view.ts';
export type { BusSummary, LatestMessage, LiveAction, LiveView, ServedFile } from '../server/view.ts';
export type * from '../server/wire.ts';
