// This example shows how to:
// 1) serve a log file on this machine, to a page or a program
// 2) fetch a part of it
// 3) see that a request under another name is refused
import { get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { serve } from 'skein/server';

const path = fileURLToPath(new URL('../../sample/copter-square.tlog', import.meta.url));
const server = await serve(undefined, { files: [{ id: 'sample', name: 'copter-square.tlog', path }] });

const { files } = await (await fetch(`${server.url}/v1/files`)).json();
for (const { id, name } of files) console.log(`${name} at /v1/files/${id}`);

// the first frame is after a time stamp of eight bytes
const part = await fetch(`${server.url}/v1/files/sample`, { headers: { Range: 'bytes=8-19' } });
const bytes = Buffer.from(await part.arrayBuffer());
console.log(`${part.headers.get('content-range').replace('/', ' of ')}: ${bytes.toString('hex')}`);

const answer = await new Promise((resolve) => get(server.url, { headers: { Host: 'evil.example' } }, resolve));
let text = '';
for await (const piece of answer) text += piece;
console.log(`${answer.statusCode}: ${JSON.parse(text).error.message}`);

await server.close();
