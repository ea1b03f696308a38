import type { ServerLimits } from '../limits.ts';
import { inQuery, NUMBER, type Parameter, type Route } from '../route.ts';
import type { Streams } from '../streams.ts';

/** Where WebSockets are opened. */
export const SOCKET_PATH = '/v1/ws';

/** What both kinds of stream take in their query. */
function parameters({ filterNames }: ServerLimits): Parameter[] {
  const list = `separated by commas, ${filterNames} at most; all where it is absent`;
  return [
    inQuery('event', `kinds of events (message, text, mode, armed, lost, recovered, ...), ${list}`),
    inQuery('vehicle', `ids of vehicles, ${list}`),
    inQuery('message', `names of messages, ${list}`),
    inQuery('rate', 'messages of one kind and sender a second at most; 0 for all of them', NUMBER),
    inQuery('since', 'id of the last event seen: later events that are still kept come first'),
    inQuery('last', 'seconds: events of this time that are still kept come first', NUMBER),
  ];
}

export function streamRoutes(streams: Streams, limits: ServerLimits, taken: (call: object) => void): Route[] {
  return [
    {
      method: 'get',
      path: '/v1/events',
      summary: 'Events as they happen, as an event stream (SSE). A WebSocket at /v1/ws has the same.',
      parameters: parameters(limits),
      type: 'text/event-stream',
      statuses: [400, 503],
      handle({ request, response, query }) {
        streams.events(request, response, query);
        taken(request.socket);
        return undefined;
      },
    },
  ];
}
