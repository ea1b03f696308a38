import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { factsOf, openLog } from '../../../src/entry/browser.ts';
import { SAMPLE } from '../../../test/helpers/cli.ts';
import { exportLog } from './export-log.ts';
import { OpenLog } from './open-log.ts';
import { type SubtitleSource, subtitlesOf } from './subtitles.ts';

const NOTHING: SubtitleSource = {
  ...{ modes: [], messages: [] },
  track: { time: new Float64Array(), alt: new Float64Array(), speed: new Float64Array() },
};

/** The cues of a file, read by its rules: a number, two times, lines, an empty line. */
function cuesOf(text: string): { start: number; end: number; lines: string[] }[] {
  const seconds = (time: string): number => {
    const [hours, minutes, rest] = time.replace(',', '.').split(':').map(Number);
    return hours * 3600 + minutes * 60 + rest;
  };
  return text
    .replace(/^WEBVTT\n\n/, '')
    .split('\n\n')
    .map((block, i) => {
      const [number, times, ...lines] = block.trimEnd().split('\n');
      expect(Number(number)).toBe(i + 1);
      const [, start, end] = /^(\d\d:\d\d:\d\d[.,]\d{3}) --> (\d\d:\d\d:\d\d[.,]\d{3})$/.exec(times) ?? [];
      return { start: seconds(start), end: seconds(end), lines };
    });
}

test.each(['srt', 'vtt'] as const)('%s of the sample has the mode, height and speed of each second', async (format) => {
  const bytes = new Uint8Array(readFileSync(SAMPLE));
  const file = await OpenLog.open(new Blob([bytes]), () => {});
  const facts = factsOf(await openLog(bytes));
  const [[flight], track, modes] = [await facts.flights(), await facts.track(), await facts.modes()];
  const { name, blob } = await exportLog(file, { format, name: 'flight', from: flight.start, to: flight.end });
  expect(name).toBe(`flight.${format}`);
  const text = await blob.text();
  expect(text.startsWith('WEBVTT\n\n')).toBe(format === 'vtt');
  const cues = cuesOf(text);
  expect(cues).toHaveLength(Math.ceil((flight.end - flight.start) / 1e6));
  for (const [i, { start, end, lines }] of cues.entries()) {
    expect([start, end]).toEqual([i, expect.closeTo(Math.min(i + 1, (flight.end - flight.start) / 1e6), 2)]);
    const now = flight.start + i * 1e6;
    const row = track.time.findLastIndex((time) => time <= now);
    const mode = modes.find((each) => each.start <= now && now < each.end)?.mode;
    const height = track.alt[row] - track.alt[0];
    expect(lines[0].replace('-0.0 m', '0.0 m')).toBe(
      `${mode}   ${height.toFixed(1).replace('-0.0', '0.0')} m   ${track.speed[row].toFixed(1)} m/s`,
    );
  }
  expect(Math.max(...cues.map(({ lines }) => Number(/([\d.]+) m /.exec(lines[0])?.[1])))).toBeCloseTo(20, 0);
});

test('a message is shown for four seconds, and cannot end its cue, begin another or be markup', () => {
  const text = 'a\n\n9\n00:00:01,000 --> 00:00:09,000\n<b>x</b> & y';
  const source = { ...NOTHING, messages: [{ time: 1e6, text }] };
  for (const format of ['srt', 'vtt'] as const) {
    const made = subtitlesOf(source, format, 0, 8e6);
    const blocks = made.replace(/^WEBVTT\n\n/, '').split('\n\n');
    expect(blocks.map((block) => block.split('\n')[1].slice(0, 8))).toEqual(
      [1, 2, 3, 4].map((second) => `00:00:0${second}`),
    );
    for (const block of blocks) expect(block.trimEnd().split('\n')).toHaveLength(3);
    expect(made.match(/-->/g)).toHaveLength(4);
    expect(made).not.toContain('<b>');
  }
});

test('a log of which nothing is known has no cues', () => {
  expect(subtitlesOf(NOTHING, 'srt', 0, 5e6)).toBe('');
  expect(subtitlesOf(NOTHING, 'vtt', 0, 5e6)).toBe('WEBVTT\n');
});
