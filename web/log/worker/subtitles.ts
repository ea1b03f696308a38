import { type ModeInterval, rowFrom } from '../../../src/entry/pages.ts';
import { clockOfDay } from '../../shared/format.ts';
import type { MessageInfo, TrackInfo } from './answers.ts';

export type SubtitleFormat = 'srt' | 'vtt';

/** What subtitles are made of; times are microseconds of the log's clock. */
export interface SubtitleSource {
  readonly modes: readonly Pick<ModeInterval, 'mode' | 'start' | 'end'>[];
  readonly messages: readonly MessageInfo[];
  readonly track: Pick<TrackInfo, 'time' | 'alt' | 'speed'>;
}

const SECOND = 1e6;
/** Seconds for which a message is shown, and how many at a time. */
const SHOWN = 4;
const MOST_MESSAGES = 2;
/** Older positions are not those of now. */
const FRESH = 3 * SECOND;
/** One cue a second, for at most a day. */
const MOST_CUES = 86_400;

/** A cue a second for a video that begins at `from`: mode, height above the first position, speed, new messages. */
export function subtitlesOf(source: SubtitleSource, format: SubtitleFormat, from: number, to: number): string {
  const { time, alt, speed } = source.track;
  const ground = alt.find((height) => Number.isFinite(height)) ?? Number.NaN;
  const parts: string[] = format === 'vtt' ? ['WEBVTT\n'] : [];
  const count = Math.min(MOST_CUES, Math.ceil((to - from) / SECOND));
  for (let i = 0; i < count; i++) {
    const now = from + i * SECOND;
    const row = rowFrom(time, now + 1) - 1;
    const isKnown = row >= 0 && now - time[row] <= FRESH;
    const facts = [
      source.modes.find(({ start, end }) => start <= now && now < end)?.mode ?? '',
      isKnown ? withUnit(alt[row] - ground, 'm') : '',
      isKnown ? withUnit(speed[row], 'm/s') : '',
    ].filter((text) => text !== '');
    const said = source.messages
      .filter((each) => each.time <= now && now - each.time < SHOWN * SECOND)
      .slice(-MOST_MESSAGES);
    const lines = [facts.join('   '), ...said.map(({ text }) => plain(text, format))].filter((text) => text !== '');
    if (lines.length === 0) continue;
    const end = Math.min(i + 1, (to - from) / SECOND);
    parts.push(
      `${parts.length + (format === 'vtt' ? 0 : 1)}\n${clock(i, format)} --> ${clock(end, format)}\n${lines.join('\n')}\n`,
    );
  }
  return parts.join('\n');
}

function withUnit(value: number, unit: string): string {
  return Number.isFinite(value) ? `${value.toFixed(1).replace(/^-0\.0$/, '0.0')} ${unit}` : '';
}

/** A text of a log may be anything: an empty line would end the cue, an arrow would be a time, and tags are markup. */
function plain(text: string, format: SubtitleFormat): string {
  const line = text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replaceAll('-->', '→')
    .trim();
  return format === 'vtt'
    ? line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    : line.replaceAll('<', '‹');
}

/** `00:01:02,500`; a dot in place of the comma in WebVTT. */
function clock(seconds: number, format: SubtitleFormat): string {
  return clockOfDay(seconds, 3).replace('.', format === 'srt' ? ',' : '.');
}
