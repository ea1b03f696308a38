import { LIVE_LIMITS } from '../live/limits.ts';
import type { LiveSession } from '../session/session.ts';
import { HttpError } from './http-error.ts';
import { sendAction } from './send-action.ts';
import type { LiveAction } from './view.ts';

type Body = Readonly<Record<string, unknown>>;

/** What clients may ask a session to do; with commands allowed, also to send any message. */
export function sessionActions(session: LiveSession, mayCommand: boolean): LiveAction[] {
  return [requestAction(session), markAction(session), recordAction(session), sendAction(session, mayCommand)];
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
        throw new HttpError(400, 'message and rate: expected the name of a message and how often a second');
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
        throw new HttpError(400, `text: expected 1 to ${noteCharacters} characters`);
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
        throw new HttpError(400, 'on and armedOnly: expected true or false');
      await sentence(() => session.setRecording(on, armedOnly), 409);
      return { recording: on };
    },
  };
}

function fieldsOf(body: unknown): Body {
  return typeof body === 'object' && body !== null ? (body as Body) : {};
}

function needVehicle(session: LiveSession, id: unknown): void {
  if (typeof id !== 'string' || !session.collector.vehicles.has(id)) throw new HttpError(404, 'vehicle: unknown id');
}

/** The client gets the sentence of what fails. */
async function sentence(act: () => void | Promise<void>, status = 400): Promise<void> {
  try {
    await act();
  } catch (error) {
    throw new HttpError(status, (error as Error).message);
  }
}
