import { sendFile } from '../file-answer.ts';
import { HttpError, JSON_TYPE, quote } from '../http.ts';
import { BYTES_TYPE } from '../pages.ts';
import { type Call, FLAG, inPath, json, listOf, objectOf, orNull, type Route, SECONDS, TEXT, WHOLE } from '../route.ts';
import type { LiveView, ServedFile } from '../view.ts';

const ID = inPath('id', 'the id from the list');
/** A log may still be written to, so it is asked for again each time. */
const CACHE = 'private, no-cache';

const RECORDING = objectOf({
  id: TEXT,
  name: TEXT,
  size: WHOLE,
  start: orNull(SECONDS),
  end: orNull(SECONDS),
  open: FLAG,
});

const RECORDER = objectOf({
  state: TEXT,
  error: TEXT,
  armedOnly: FLAG,
  canRecord: FLAG,
  frames: WHOLE,
  bytes: WHOLE,
  acknowledged: WHOLE,
  dropped: WHOLE,
  free: orNull(WHOLE),
});

export function recordingRoutes(view: LiveView): Route[] {
  const recorder: Route = {
    method: 'get',
    path: '/v1/recorder',
    summary: 'State of the recording: written, dropped, free space.',
    parameters: [],
    type: JSON_TYPE,
    schema: RECORDER,
    handle: async () => json(await view.recorder?.()),
  };
  return [
    ...(view.recorder ? [recorder] : []),
    {
      method: 'get',
      path: '/v1/recordings',
      summary: 'All recordings, those that still grow among them.',
      parameters: [],
      type: JSON_TYPE,
      schema: objectOf({ recordings: listOf(RECORDING) }),
      handle: () => json({ recordings: view.recordings().map(({ path: _path, ...recording }) => recording) }),
    },
    download('/v1/recordings/{id}', 'A recording, or the bytes of it that a Range header names.', () =>
      view.recordings(),
    ),
  ];
}

/** Logs that were named when the server was started. */
export function fileRoutes(files: readonly ServedFile[]): Route[] {
  return [
    {
      method: 'get',
      path: '/v1/files',
      summary: 'The log files that were opened.',
      parameters: [],
      type: JSON_TYPE,
      schema: objectOf({ files: listOf(objectOf({ id: TEXT, name: TEXT })) }),
      handle: () => json({ files: files.map(({ id, name }) => ({ id, name })) }),
    },
    download('/v1/files/{id}', 'A log file, or the bytes of it that a Range header names.', () => files),
  ];
}

function download(path: string, summary: string, list: () => readonly ServedFile[]): Route {
  return {
    method: 'get',
    path,
    summary,
    parameters: [ID],
    type: BYTES_TYPE,
    statuses: [206, 304, 416],
    async handle({ parameters, request, response }: Call) {
      const file = list().find(({ id }) => id === parameters.id);
      if (!file) throw new HttpError(404, `no file has the id ${quote(parameters.id)}: the list has those that exist`);
      const { name } = file;
      await sendFile(request, response, { path: file.path, name, type: BYTES_TYPE, cache: CACHE, plain: false });
      return undefined;
    },
  };
}
