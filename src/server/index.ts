/** The server, for programs that have a view of their own to show. */
export { Refusal } from './refusal.ts';
export { type RunningServer, type ServerOptions, serve } from './server.ts';
export { SessionView } from './session-view.ts';
export type {
  BatterySummary,
  LatestMessage,
  LinkSummary,
  LiveAction,
  LiveEvent,
  LiveView,
  MessageSummary,
  RecordingSummary,
  ServedFile,
  StreamFilter,
  VehicleDetail,
  VehiclePosition,
  VehicleSummary,
} from './view.ts';
