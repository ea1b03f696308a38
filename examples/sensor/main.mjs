// This example shows how to:
// 1) play an Xsens device: make packets, at 100 Hz and with its clock and counter;
// 2) lose one of them, and see that the log counts it;
// 3) read them as IMU data, in SI units and with flags and quality.
// With a path it also writes the stream there, for the command: node examples/sensor/main.mjs sensor.xbus
import { writeFileSync } from 'node:fs';
import { openLog } from 'skein';
import { encodeXbusPacket, readImuData } from 'skein/xbus';

function packet(n) {
  const yaw = (n * 3.6) % 360;
  return encodeXbusPacket([
    { item: 'PacketCounter', data: { value: n & 0xffff } },
    { item: 'SampleTimeFine', data: { value: n * 100 } },
    { item: 'EulerAngles', frame: 'NED', data: { roll: 0, pitch: 0, yaw: yaw > 180 ? yaw - 360 : yaw } },
    { item: 'Acceleration', format: 'fp16.32', data: { x: 0, y: 0, z: -9.81 } },
    { item: 'RateOfTurn', data: { x: 0, y: 0, z: 2 * Math.PI } },
    { item: 'StatusWord', data: { value: 0b11 } },
  ]);
}

const packets = Array.from({ length: 100 }, (_, n) => packet(n)).filter((_, n) => n !== 50);
const bytes = Buffer.concat(packets);
if (process.argv[2]) writeFileSync(process.argv[2], bytes);

const log = await openLog(bytes);
for (const { stream, received, lost } of log.streams)
  console.log(`device ${stream}: ${received} received, ${lost} lost`);
const { rows, times, columns } = await readImuData(log);
const last = rows - 1;
console.log(`${rows} rows in ${(times[last] - times[0]) / 1e6} s`);
console.log(`yaw ${columns.euler_yaw[25].toFixed(4)} rad, quality ${columns.data_quality[25]} of 100`);
