// This example shows how to:
// 1) define a record and write a DataFlash log with it;
// 2) read it back;
// 3) see what damage does: one byte is lost, one record goes with it, and the log says where.

import { openLog, readRecords } from 'skein';
import { definitionFor, encodeDefinition, encodeRecord } from 'skein/dataflash';

const temperature = definitionFor(1, 'TEMP', 'QBc', 'TimeUS,I,Deg');
const records = Array.from({ length: 5 }, (_, i) => encodeRecord(temperature, [1_000_000 * (i + 1), 0, 20 + i / 4]));
const bytes = Buffer.concat([encodeDefinition(temperature), ...records]);

for await (const { time, data } of readRecords(await openLog(bytes), {})) {
  if ('Deg' in data) console.log(`${time / 1e6} s: ${data.Deg} degC`);
}

const damaged = new Uint8Array(bytes);
damaged[89 + temperature.length] = 0;
const log = await openLog(damaged);
console.log(`${log.table('TEMP').rows} of 5 records after damage`);
for (const fault of log.faults.kept) console.log(`${fault.code}: ${fault.text}`);
