// This example shows how to:
// 1) read the flown path of a log;
// 2) measure it;
// 3) write it as GeoJSON, or any other format that Skein has for tracks.
import { openLog, readTrack, TRACK_FORMATS, trackBounds, trackLength } from 'skein';

const path = process.argv[2] ?? new URL('../../sample/copter-square.BIN', import.meta.url);
const track = await readTrack(await openLog(path));
const bounds = trackBounds(track);

console.error(`${track.points} points from ${track.source}, ${trackLength(track).toFixed(0)} m`);
if (bounds) console.error(`from ${bounds.low.toFixed(1)} to ${bounds.high.toFixed(1)} m above the sea`);

const geojson = TRACK_FORMATS.find((format) => format.name === 'geojson');
for (const piece of geojson.write(track)) process.stdout.write(piece);
