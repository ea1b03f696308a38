// This example shows how to:
// 1) open a log, whatever its format;
// 2) read a few columns of a table, and the time of each row;
// 3) find the highest vibration of each IMU.
import { openLog } from 'skein';

const path = process.argv[2] ?? new URL('../../sample/copter-square.BIN', import.meta.url);
const log = await openLog(path);

for (const table of log.tablesNamed('VIBE')) {
  const { times, columns } = await table.timedColumns(['VibeX', 'VibeY', 'VibeZ']);
  const [x, y, z] = columns.map((column) => column.numbers());
  let worst = 0;
  for (let row = 0; row < table.rows; row++) {
    if (Math.hypot(x[row], y[row], z[row]) > Math.hypot(x[worst], y[worst], z[worst])) worst = row;
  }
  const most = Math.hypot(x[worst], y[worst], z[worst]);
  const when = new Date(times[worst] / 1000).toISOString();
  console.log(`IMU ${table.stream}: ${table.rows} rows, most ${most.toFixed(3)} m/s/s at ${when}`);
}
