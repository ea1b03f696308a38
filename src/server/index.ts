/** The server, for programs that have a view of their own to show. */
export { HttpError } from './http-error.ts';
export { type RunningServer, type ServerOptions, serve } from './server.ts';
export { SessionView } from './session-view.ts';
export type { BusSummary, LatestMessage, LiveAction, LiveView, ServedFile } from './view.ts';
export type * from './wire.ts';
