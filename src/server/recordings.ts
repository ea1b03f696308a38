import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RECORD_LIMITS } from '../session/limits.ts';
import type { RecorderState } from '../session/recorder.ts';
import type { ServedFile } from './view.ts';
import { type RecordingWire, seconds } from './wire.ts';

/** When it was begun, a counter, and a link or nothing: what recorders call their files. */
const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)-\d{3,}(?:-.+\.raw|\.tlog)$/;

/** The recordings in a folder: the one that is written to, then the newest first, those of earlier runs among them. */
export function recordingsOf(folder: string, state: RecorderState | undefined): (RecordingWire & ServedFile)[] {
  const names = namesIn(folder).filter((name) => NAME.test(name));
  const growing = growingOf(state);
  const isCurrent = (name: string): boolean => growing.size > 0 && join(folder, name) === state?.recording;
  return names
    .sort()
    .reverse()
    .sort((a, b) => Number(isCurrent(b)) - Number(isCurrent(a)))
    .slice(0, RECORD_LIMITS.filesListed)
    .flatMap((name) => {
      const path = join(folder, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      if (!stats?.isFile()) return [];
      const open = growing.has(path);
      const id = createHash('sha256').update(path).digest('hex').slice(0, 16);
      const end = open ? null : seconds(stats.mtimeMs * 1000);
      return [{ id, name, path, size: stats.size, start: startOf(name), end, open }];
    });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // it is made with the first recording
    return [];
  }
}

/** The files that are being written: the last one of each link. */
function growingOf(state: RecorderState | undefined): Set<string> {
  if (state?.state !== 'recording') return new Set();
  return new Set(new Map(state.files.map(({ link, path }) => [link, path])).values());
}

function startOf(name: string): number {
  const [year, month, day, hour, minute, second] = (NAME.exec(name) ?? []).slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
}
