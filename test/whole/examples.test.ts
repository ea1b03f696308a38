// Every example runs as it is, and does what its first lines say.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const folder = new URL('../../examples/', import.meta.url);
const names = readdirSync(folder);

function run(name: string): string {
  const path = fileURLToPath(new URL(`${name}/main.mjs`, folder));
  return execFileSync(process.execPath, [path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

describe('examples', () => {
  test.each(names)('%s says what it shows', (name) => {
    const text = readFileSync(new URL(`${name}/main.mjs`, folder), 'utf8');
    expect(text).toMatch(/^\/\/ This example shows how to:\n\/\/ 1\) /);
  });

  test('columns finds the highest vibration of both IMUs', () => {
    const lines = run('columns').trim().split('\n');
    expect(lines).toHaveLength(2);
    for (const [i, line] of lines.entries()) {
      expect(line).toMatch(new RegExp(`^IMU ${i}: 1337 rows, most \\d+\\.\\d{3} m/s/s at 2026-11-15T18:1\\d:`));
    }
  });

  test('track writes GeoJSON of a 40 m square', () => {
    const feature = JSON.parse(run('track'));
    expect(feature.geometry.type).toBe('LineString');
    expect(feature.geometry.coordinates).toHaveLength(631);
  });

  test('write-log reads back what it wrote, and names the damage', () => {
    const text = run('write-log');
    expect(text).toContain('5 s: 21 degC');
    expect(text).toContain('4 of 5 records after damage');
    // the second record of fourteen bytes behind a definition of 89 bytes
    expect(text).toContain('garbage: 14 bytes at offset 103');
  });

  test('sensor counts the packet that it lost, and gives angles in radians', () => {
    // a quarter turn after 25 packets of 3.6 degrees; acceleration, rate of turn and a settled filter are 65 points
    expect(run('sensor')).toBe(
      'device 255: 99 received, 1 lost\n99 rows in 0.99 s\nyaw 1.5708 rad, quality 65 of 100\n',
    );
  });

  test('serve-log fetches a part of a log, and is refused what is not its own', () => {
    const lines = run('serve-log').trim().split('\n');
    expect(lines).toEqual([
      'copter-square.tlog at /v1/files/sample',
      'bytes 8-19 of 890270: fd0900000001010000000000',
      '403: host "evil.example" is not this server: use its address, or allow the name when starting it',
    ]);
  });

  test('are all run here', () => {
    expect(names.sort()).toEqual(['columns', 'sensor', 'serve-log', 'track', 'write-log']);
  });
});
