import { LIVE_LIMITS } from '../core/limits.ts';
import type { FieldValue } from '../formats/mavlink/payload.ts';
import type { LiveSession } from '../node/live-session.ts';
import { Refusal } from './refusal.ts';
import type { LiveAction } from './view.ts';

type Body = Readonly<Record<string, unknown>>;

/** What clients may ask a session to do; with commands allowed, also to send any message. */
export function sessionActions(session: LiveSession, mayCommand: boolean): LiveAction[] {
  const actions = [requestAction(session), markAction(session), recordAction(session)];
  return mayCommand ? [...actions, sendAction(session)] : actions;
}

/** `{"vehicle": "1", "message": "ATTITUDE", "rate": 10}` */
function requestAction(session: LiveSession): LiveAction {
  return {
    name: 'request',
    summary: 'Asks a vehicle for a message, rate times a second, or once for 0. Its state tells what became of it.',
    async run(body) {
      const { vehicle, message, rate } = fieldsOf(body);
      needVehicle(session, vehicle);
      if (typeof message !== 'string' || typeof rate !== 'number')
        throw new Refusal(400, 'message and rate: the name of a message and times a second are wanted');
      await sentence(() => session.collector.request(String(vehicle), message, rate));
      return { asked: message, rate };
    },
  };
}

/** `{"text": "gust"}` */
function markAction(session: LiveSession): LiveAction {
  const { noteCharacters } = LIVE_LIMITS;
  return {
    name: 'mark',
    summary: 'Puts a note into the recording, as a STATUSTEXT of our own that begins with MARK.',
    async run(body) {
      const { text } = fieldsOf(body);
      if (typeof text !== 'string' || text === '' || text.length > noteCharacters)
        throw new Refusal(400, `text: 1 to ${noteCharacters} characters are wanted`);
      await sentence(() => session.mark(text), 409);
      return { marked: text };
    },
  };
}

/** `{"on": true, "armedOnly": false}` */
function recordAction(session: LiveSession): LiveAction {
  return {
    name: 'record',
    summary: 'Begins or ends recording to the folder that was named at the start; armedOnly is optional.',
    async run(body) {
      const { on, armedOnly } = fieldsOf(body);
      if (typeof on !== 'boolean' || (armedOnly !== undefined && typeof armedOnly !== 'boolean'))
        throw new Refusal(400, 'on and armedOnly: true or false is wanted');
      await sentence(() => session.setRecording(on, armedOnly), 409);
      return { recording: on };
    },
  };
}

/** `{"vehicle": "1", "message": "COMMAND_LONG", "data": {...}}` */
function sendAction(session: LiveSession): LiveAction {
  return {
    name: 'send',
    summary: 'Sends a message on the link of a vehicle: its id, the name of the message, and its fields as data.',
    async run(body) {
      const { vehicle, message, data } = fieldsOf(body);
      const link = needVehicle(session, vehicle);
      if (typeof message !== 'string' || typeof data !== 'object' || data === null)
        throw new Refusal(400, 'message and data: the name of a message and an object with its fields are wanted');
      const values = data as Readonly<Record<string, FieldValue>>;
      await sentence(() => session.collector.sendMessage(link, message, values));
      return { sent: message };
    },
  };
}

function fieldsOf(body: unknown): Body {
  return typeof body === 'object' && body !== null ? (body as Body) : {};
}

/** The link of a vehicle that a client names. */
function needVehicle(session: LiveSession, id: unknown): string {
  const vehicle = typeof id === 'string' ? session.collector.vehicles.get(id) : undefined;
  if (!vehicle) throw new Refusal(404, 'vehicle: the id of one that is known is wanted');
  return vehicle.link;
}

/** What cannot be done is told to the client in the words of whoever could not do it. */
async function sentence(act: () => void | Promise<void>, status = 400): Promise<void> {
  try {
    await act();
  } catch (error) {
    throw new Refusal(status, (error as Error).message);
  }
}
