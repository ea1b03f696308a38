// Live: a process that receives the sample's stream as 200 vehicles, 30,000 messages a second over loopback, beside a
// bare socket and node-mavlink's parser; then one vehicle beside a flood of garbage.
// npm ci --prefix bench && node bench/live.mjs [SECONDS] [ROUNDS]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bars, table } from './bench.mjs';

const SECONDS = Number(process.argv[2] ?? 10);
const ROUNDS = Number(process.argv[3] ?? 2);
const VEHICLES = 200;
const RATE = 30_000;
/** Each vehicle sends from its own port. */
const SOCKETS = 200;

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Runs one receiver against one sender, each in its own process. */
async function measure(kind, traffic) {
  const receiver = fork(path('live-receiver.mjs'), [kind]);
  const [{ port }] = await once(receiver, 'message');
  receiver.send('begin');
  const sender = fork(path('live-sender.mjs'), [JSON.stringify({ port, seconds: SECONDS, garbage: 0, ...traffic })]);
  const [sent] = await once(sender, 'message');
  await new Promise((done) => setTimeout(done, 500));
  const answer = once(receiver, 'message');
  receiver.send('end');
  const [got] = await answer;
  return { ...got, sent: sent.sent, thrown: sent.thrown, took: sent.seconds };
}

/** Microseconds of CPU for a message that was received: what was lost on the way cost nothing. */
const cost = ({ cpu, messages }) => (1e6 * cpu) / messages;

const kinds = ['bare', 'ours', 'theirs'];
const best = {};
for (let round = 0; round < ROUNDS; round++) {
  for (const kind of kinds) {
    const found = await measure(kind, { vehicles: VEHICLES, rate: RATE, sockets: SOCKETS });
    if (!best[kind] || cost(found) < cost(best[kind])) best[kind] = found;
  }
}
const flood = await measure('ours', { vehicles: 1, rate: 50, sockets: 2, garbage: 100_000 });

const NAMES = {
  bare: 'a bare socket',
  ours: 'skein: link, collector, state',
  theirs: 'node-mavlink: splitter, parser, decode',
};
const percent = ({ cpu, took }) => `${((100 * cpu) / took).toFixed(1)} %`;
console.log(`${VEHICLES} vehicles, ${RATE} messages/s for ${SECONDS} s, best of ${ROUNDS}\n`);
table(
  ['', 'CPU', 'µs/message', 'after 3 s', 'sent', 'received', 'vehicles', 'lag p99', 'memory'],
  kinds.map((kind) => {
    const { sent, messages, vehicles, lag, rss, steady } = best[kind];
    return [
      NAMES[kind],
      percent(best[kind]),
      cost(best[kind]).toFixed(2),
      steady.toFixed(2),
      sent,
      messages,
      vehicles,
      `${lag.toFixed(1)} ms`,
      `${rss.toFixed(0)} MB`,
    ];
  }),
);
console.log(
  `\nof what skein did not receive, the system dropped ${best.ours.dropped}: it had no time for this process`,
);
console.log(
  `flood: ${flood.thrown} garbage datagrams in ${flood.took.toFixed(1)} s beside one vehicle: ${flood.one} of ${flood.sent} ` +
    `of its messages, ${flood.dropped} datagrams dropped by the system, lag p99 ${flood.lag.toFixed(1)} ms, ` +
    `memory ${flood.rss.toFixed(0)} MB, CPU ${percent(flood)}\n`,
);
bars([
  { name: 'messages lost', value: best.ours.sent - best.ours.messages, bar: 0 },
  { name: 'vehicles with position and battery', value: best.ours.vehicles, bar: VEHICLES, atLeast: true },
  { name: "CPU for a message, times node-mavlink's", value: cost(best.ours) / cost(best.theirs), bar: 0.55 },
  { name: "CPU for a message, times the bare socket's", value: cost(best.ours) / cost(best.bare), bar: 2.2 },
  {
    name: 'flood: messages of the vehicle lost though the system dropped nothing',
    value: flood.dropped === 0 ? flood.sent - flood.one : 0,
    bar: 0,
  },
]);
