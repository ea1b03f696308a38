// Makes docs/flight.svg, the picture of the README, from the sample flight: its path, its height, its modes.
import { writeFileSync } from 'node:fs';
import { factsOf, openLog } from '../dist/entry/index.js';

const WIDTH = 900;
const HEIGHT = 360;
const COLORS = { STABILIZE: '#0033cc', GUIDED: '#00a3a3', RTL: '#6600cc' };

const log = await openLog(new URL('../sample/copter-square.BIN', import.meta.url));
const facts = factsOf(log);
const track = await facts.track();
const { firmware } = await facts.vehicle();
const modes = await facts.modes();

const colorAt = (time) => COLORS[modes.findLast(({ start }) => start <= time)?.mode] ?? '#888888';
/** Maps one range onto another. */
const scale = (from, to, low, high) => (value) => low + ((value - from) / (to - from)) * (high - low);
const ends = (values) => [Math.min(...values), Math.max(...values)];

// the map: metres are alike in both directions
const [west, east] = ends(track.lon);
const [south, north] = ends(track.lat);
const metresPerLon = 111_320 * Math.cos((south * Math.PI) / 180);
const perMetre = 260 / Math.max((east - west) * metresPerLon, (north - south) * 110_574);
const x = (lon) => 50 + (lon - west) * metresPerLon * perMetre;
const y = (lat) => 310 - (lat - south) * 110_574 * perMetre;

// the height over time
const [low, high] = ends(track.alt);
const time = scale(track.time[0], track.time[track.points - 1], 400, 870);
const height = scale(low, high, 290, 100);

const pieces = [];
for (const { mode, start, end } of modes) {
  const [from, to] = [Math.max(time(start), 400), Math.min(time(end), 870)];
  pieces.push(
    `<rect x="${from.toFixed(1)}" y="60" width="${(to - from).toFixed(1)}" height="240" fill="${COLORS[mode]}" opacity="0.12"/>`,
  );
  pieces.push(`<text x="${(from + 6).toFixed(1)}" y="76" class="mode" style="fill:${COLORS[mode]}">${mode}</text>`);
}
// one line for each stretch of one colour
for (let from = 0, to = 0; from < track.points - 1; from = to) {
  const color = colorAt(track.time[from + 1]);
  to = from + 1;
  while (to < track.points - 1 && colorAt(track.time[to + 1]) === color) to++;
  const line = (place, width) => {
    const points = Array.from({ length: to - from + 1 }, (_, i) =>
      place(from + i)
        .map((value) => value.toFixed(1))
        .join(),
    );
    const path = points.filter((point, i) => point !== points[i - 1]).join(' ');
    return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="${width}" stroke-linejoin="round"/>`;
  };
  pieces.push(line((i) => [x(track.lon[i]), y(track.lat[i])], 2.5));
  pieces.push(line((i) => [time(track.time[i]), height(track.alt[i])], 2));
}
const metres = 20 * perMetre;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif">
<title>The sample flight: its path seen from above, and its height over time, coloured by flight mode</title>
<style>text{font-size:13px;fill:#8b949e}.mode{font-size:12px;font-weight:600}.title{font-size:15px;font-weight:600}</style>
<rect width="${WIDTH}" height="${HEIGHT}" rx="8" fill="#f6f8fa"/>
<text x="50" y="36" class="title">${firmware.text}: the sample flight</text>
${pieces.join('\n')}
<circle cx="${x(track.lon[0]).toFixed(1)}" cy="${y(track.lat[0]).toFixed(1)}" r="5" fill="#e5484d"/>
<path d="M50 335h${metres.toFixed(1)}" stroke="#8b949e" stroke-width="2"/><text x="${(58 + metres).toFixed(1)}" y="339">20 m</text>
<text x="400" y="320">0 s</text><text x="870" y="320" text-anchor="end">${((track.time[track.points - 1] - track.time[0]) / 1e6).toFixed(0)} s</text>
<text x="392" y="${(height(high) + 5).toFixed(1)}" text-anchor="end">${(high - low).toFixed(0)} m</text><text x="392" y="295" text-anchor="end">0 m</text>
</svg>
`;
writeFileSync(new URL('../docs/flight.svg', import.meta.url), svg);
