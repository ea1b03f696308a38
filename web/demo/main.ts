// A page that shows one part at a time, for the tests in a browser and for looking at it. It is not shipped.
import { AttitudeIndicator } from '../instruments/attitude-indicator.ts';
import { Compass } from '../instruments/compass.ts';
import { FlightReplay } from '../instruments/flight-replay.ts';
import { Tape } from '../instruments/tape.ts';
import { TrackMap } from '../map/track-map.ts';

declare global {
  interface Window {
    /** What the tests reach into. */
    demo: { map?: TrackMap; replay?: FlightReplay; heard: unknown[]; instruments: Instruments };
  }
}

interface Instruments {
  attitude: AttitudeIndicator;
  compass: Compass;
  speed: Tape;
  altitude: Tape;
}

const stage = document.getElementById('stage') as HTMLElement;
const wanted = new URLSearchParams(location.search);
document.documentElement.dataset.theme = wanted.get('theme') ?? 'dark';
const instruments: Instruments = {
  attitude: new AttitudeIndicator(),
  compass: new Compass(),
  speed: new Tape({ label: 'speed', unit: 'm/s', side: 'left', step: 5 }),
  altitude: new Tape({ label: 'altitude', unit: 'm', side: 'right', step: 10 }),
};
window.demo = { heard: [], instruments };

if (wanted.get('part') === 'map') {
  stage.className = wanted.has('whole') ? 'map whole' : 'map';
  const { heard } = window.demo;
  const map = new TrackMap({
    picked: (time) => heard.push({ picked: time }),
    hovered: (time) => heard.push({ hovered: time }),
    released: () => heard.push('released'),
    failed: (message) => heard.push({ failed: message }),
    hasTrails: true,
  });
  window.demo.map = map;
  stage.append(map.element);
}

if (wanted.get('part') === 'instruments') {
  stage.className = 'instruments';
  const { speed, attitude, altitude, compass } = instruments;
  stage.append(speed.element, attitude.element, altitude.element, compass.element);
}

if (wanted.get('part') === 'replay') {
  const replay = new FlightReplay();
  window.demo.replay = replay;
  stage.append(replay.element);
}
