import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { hexDigits } from '../core/text.ts';

/*
 * Linux shows which process holds a socket or a device: /proc/net/udp has the inode of each socket, and /proc/PID/fd a
 * link to each thing that a process has open.
 *
 *     sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
 *     12: 0100007F:38D6 00000000:0000 07 00000000:00000000 00:00000000 00000000  1000        0 31415 2   0        0
 */
const LOCAL = 1;
const INODE = 9;
const DROPS = 12;

/** A row of /proc/net/udp or tcp. */
interface SocketRow {
  /** As the kernel writes it. */
  readonly address: string;
  readonly inode: string;
  readonly drops: number;
}

/** The tables of sockets: those of IPv6 may take IPv4 too. */
const TABLES = { udp: ['udp', 'udp6'], tcp: ['tcp', 'tcp6'] } as const;

/** The sockets at a port. There may be thousands at others, so only lines that have it are looked at. */
async function socketRows(tables: readonly string[], port: number): Promise<SocketRow[]> {
  const rows: SocketRow[] = [];
  const written = `:${hexDigits(port, 4)} `;
  for (const table of tables) {
    const text = await readFile(`/proc/net/${table}`, 'latin1').catch(() => '');
    for (let at = text.indexOf(written); at >= 0; at = text.indexOf(written, at + 1)) {
      const line = text.slice(text.lastIndexOf('\n', at) + 1, endOfLine(text, at));
      const words = line.trim().split(/\s+/);
      const [address, own] = words[LOCAL].split(':');
      // the port of the other end is written in the same way
      if (`:${own} ` !== written) continue;
      rows.push({ address, inode: words[INODE], drops: Number(words[DROPS] ?? 0) || 0 });
      at = endOfLine(text, at) - 1;
    }
  }
  return rows;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** How many datagrams the system dropped because the buffer of this socket was full; 0 if unknown. */
export async function droppedAt(host: string, port: number): Promise<number> {
  const address = kernelAddress(host);
  let sum = 0;
  // a socket with an address of IPv4 is in that table only
  for (const row of await socketRows(address === '' ? TABLES.udp : TABLES.udp.slice(0, 1), port)) {
    if (address === '' || row.address === address) sum += row.drops;
  }
  return sum;
}

/** An IPv4 address as the kernel writes it, the last byte first; '' for others. */
function kernelAddress(host: string): string {
  if (!isIPv4(host)) return '';
  const bytes = host.split('.').map((text) => Number(text).toString(16).padStart(2, '0'));
  return bytes.reverse().join('').toUpperCase();
}

/** The program that has the port, as ` by mavproxy.py (process 4711)`; '' if unknown. */
export async function portHolder(protocol: 'udp' | 'tcp', port: number): Promise<string> {
  const inodes = (await socketRows(TABLES[protocol], port)).map((row) => row.inode);
  return holderOf(new Set(inodes.map((inode) => `socket:[${inode}]`)));
}

/** The program that has a device open. */
export async function deviceHolder(path: string): Promise<string> {
  // a port may be known by a name that leads to it
  return holderOf(new Set([await realpath(path).catch(() => path)]));
}

async function holderOf(targets: ReadonlySet<string>): Promise<string> {
  if (targets.size === 0) return '';
  const processes = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const id of processes) {
    // those of other users cannot be looked into
    const open = await readdir(`/proc/${id}/fd`).catch(() => []);
    for (const descriptor of open) {
      const target = await readlink(`/proc/${id}/fd/${descriptor}`).catch(() => '');
      if (!targets.has(target)) continue;
      const name = (await readFile(`/proc/${id}/comm`, 'utf8').catch(() => '')).trim();
      return ` by ${name || 'a process'} (process ${id})`;
    }
  }
  return '';
}
