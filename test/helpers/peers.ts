import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'vitest';
import type { Block } from './need.ts';

/** A Python environment with programs and packages that others wrote: .ci/run makes one where it can. */
export const PEERS: string = process.env.SKEIN_PEERS || fileURLToPath(new URL('../../.peers', import.meta.url));
export const PYTHON: string = join(PEERS, 'bin/python');

/** `needPeers('pymavlink')('stations', ...)` is `describe(...)` where such packages are; elsewhere a skipped test says why. */
export function needPeers(packages: string, block: Block = describe): Block {
  if (spawnSync(PYTHON, ['-c', `import ${packages}`]).status === 0) return block;
  return (title) => test.skip(`${title} (skipped: no ${packages} in ${PEERS}; SKEIN_PEERS may say where)`);
}

/** What a package found: its offset, length and name, null for what it threw away, and its fields. */
export type PeerRecord = readonly [offset: number, length: number, name: string | null, fields: PeerFields];
export type PeerFields = Readonly<Record<string, PeerValue>>;
export type PeerValue = number | string | readonly PeerValue[];

/** What a package makes of each input. */
export function peerDecode(protocol: string, inputs: readonly Uint8Array[]): PeerRecord[][] {
  const script = fileURLToPath(new URL('../peers/decode.py', import.meta.url));
  const parts = inputs.flatMap((bytes) => [new Uint8Array(Uint32Array.of(bytes.length).buffer), bytes]);
  const { stdout, stderr, status } = spawnSync(PYTHON, [script, protocol], {
    input: Buffer.concat(parts),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(stderr);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as PeerRecord[]);
}
