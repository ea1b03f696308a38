import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LinkAddress, LinkError, linkText, parseLink } from './link-name.ts';

const network = (kind: string, host: string, port: number): unknown => ({ kind, host, port });
const serial = (path: string, baud: number): unknown => ({ kind: 'serial', path, baud });

describe('links as people type them', () => {
  test.each<[string, unknown]>([
    // MAVProxy, pymavlink, dronekit
    ['udpin:0.0.0.0:14550', network('udpin', '0.0.0.0', 14550)],
    ['udp:127.0.0.1:14551', network('udpin', '127.0.0.1', 14551)],
    ['udpout:10.0.0.2:14550', network('udpout', '10.0.0.2', 14550)],
    ['udpbcast:192.168.1.255:14550', network('udpbcast', '192.168.1.255', 14550)],
    ['mcast:', network('udpin', '239.255.145.50', 14550)],
    ['tcp:127.0.0.1:5760', network('tcp', '127.0.0.1', 5760)],
    ['tcpin:0.0.0.0:5761', network('tcpin', '0.0.0.0', 5761)],
    ['127.0.0.1:14550', network('udpin', '127.0.0.1', 14550)],
    ['/dev/ttyUSB0,57600', serial('/dev/ttyUSB0', 57600)],
    ['/dev/ttyACM0', serial('/dev/ttyACM0', 115200)],
    ['COM14,57600', serial('COM14', 57600)],
    ['com3', serial('com3', 57600)],
    // MAVSDK
    ['udp://:14540', network('udpin', '0.0.0.0', 14540)],
    ['udpin://0.0.0.0:14540', network('udpin', '0.0.0.0', 14540)],
    ['udpout://192.168.1.12:14550', network('udpout', '192.168.1.12', 14550)],
    ['tcp://drone.local:5760', network('tcp', 'drone.local', 5760)],
    ['tcpout://10.0.0.2:5790', network('tcp', '10.0.0.2', 5790)],
    ['serial:///dev/ttyACM0:57600', serial('/dev/ttyACM0', 57600)],
    ['serial://COM3:57600', serial('COM3', 57600)],
    // mavlink-server, mavlink2rest
    ['udpserver://0.0.0.0:14550', network('udpin', '0.0.0.0', 14550)],
    ['udpclient://10.0.0.1:14550', network('udpout', '10.0.0.1', 14550)],
    ['tcpserver://0.0.0.0:5777', network('tcpin', '0.0.0.0', 5777)],
    ['tcpclient://10.0.0.1:5777', network('tcp', '10.0.0.1', 5777)],
    ['serial:/dev/ttyACM0:115200', serial('/dev/ttyACM0', 115200)],
    ['serial:/dev/ttyS1?baudrate=921600', serial('/dev/ttyS1', 921600)],
    // mavlink-router
    ['/dev/ttyS0:1500000', serial('/dev/ttyS0', 1500000)],
    [
      '/dev/serial/by-path/pci-0000:00:14.0-usb-0:1:1.0,57600',
      serial('/dev/serial/by-path/pci-0000:00:14.0-usb-0:1:1.0', 57600),
    ],
    // outside of /dev
    ['/tmp/vehicle,57600', serial('/tmp/vehicle', 57600)],
    ['./pty,115200', serial('./pty', 115200)],
    ['/run/radio,57600,8N1', serial('/run/radio', 57600)],
    ['serial:/dev/a:5:57600', serial('/dev/a:5', 57600)],
    ['serial:/dev/ttyS0:57600:8N1', serial('/dev/ttyS0', 57600)],
    // no host, no port
    ['udpin:14550', network('udpin', '127.0.0.1', 14550)],
    ['udpin::14550', network('udpin', '0.0.0.0', 14550)],
    [':14550', network('udpin', '0.0.0.0', 14550)],
    ['udpin:', network('udpin', '127.0.0.1', 14550)],
    ['tcpin:5760', network('tcpin', '127.0.0.1', 5760)],
    ['tcp:drone', network('tcp', 'drone', 5760)],
    ['udpin:127.0.0.1:0', network('udpin', '127.0.0.1', 0)],
    // IPv6
    ['udpin:[::]:14550', network('udpin', '::', 14550)],
    ['tcp:[fe80::1%eth0]:5760', network('tcp', 'fe80::1%eth0', 5760)],
    // the rest
    ['WS://localhost:8080/mavlink', { kind: 'ws', url: 'ws://localhost:8080/mavlink' }],
    ['wss://host/x?y=1', { kind: 'ws', url: 'wss://host/x?y=1' }],
    ['nats://a , nats://b ?since=1m', { kind: 'nats', servers: 'nats://a,nats://b', since: 60, collector: '' }],
    ['nats://bus', { kind: 'nats', servers: 'nats://bus', since: 0, collector: '' }],
    [
      'nats://a:1,tls://[::1]:2?since=10m&collector=base-2',
      { kind: 'nats', servers: 'nats://a:1,tls://[::1]:2', since: 600, collector: 'base-2' },
    ],
    ['ws:localhost:8080', { kind: 'ws', url: 'ws://localhost:8080/' }],
    ['flight.tlog', { kind: 'file', path: 'flight.tlog' }],
    ['file:flight', { kind: 'file', path: 'flight' }],
    ['file:///tmp/a b.tlog', { kind: 'file', path: '/tmp/a b.tlog' }],
    ['./flight', { kind: 'file', path: './flight' }],
    ['C:\\logs\\flight.tlog', { kind: 'file', path: 'C:\\logs\\flight.tlog' }],
    ['  udpin:0.0.0.0:14550 ', network('udpin', '0.0.0.0', 14550)],
  ])('%s', (text, address) => {
    expect(parseLink(text)).toEqual(address);
  });

  test('where something is sent to, an address that does not say which way means to send', () => {
    expect(parseLink('127.0.0.1:14550', { udp: 'udpout' })).toEqual(network('udpout', '127.0.0.1', 14550));
    expect(parseLink('udp://10.0.0.2:14550', { udp: 'udpout' })).toEqual(network('udpout', '10.0.0.2', 14550));
    expect(parseLink('udpin:14550', { udp: 'udpout' })).toEqual(network('udpin', '127.0.0.1', 14550));
  });
});

describe('what is no link', () => {
  test.each<[string, string]>([
    ['', 'a link is empty: allowed are udpin:HOST:PORT'],
    ['udpout:', 'names no host: expected udpout:HOST:PORT'],
    ['udpout::14550', 'names no host: expected udpout:HOST:14550'],
    ['udpin:0.0.0.0:70000', 'has port 70000: must be 0 to 65535'],
    ['tcp:host:0', 'has port 0: must be 1 to 65535'],
    ['tcp:host:', 'has port (none): must be 1'],
    ['tcp:host:57x', 'has port 57x'],
    ['udpin:::1:14550', 'too many colons: put an IPv6 address in brackets'],
    ['udpin:300.1.1.1:14550', 'has host 300.1.1.1: expected a name or an address'],
    ['tcp:a b:1', 'has host a b'],
    ['bluetooth:thing', 'is of an unknown kind: allowed are'],
    ['14550', 'is a number: udpin:14550 listens at that port'],
    ['drone', 'is neither a link nor a file'],
    ['serial:', 'names no device'],
    ['/dev/ttyUSB0,fast', 'has a baud rate that is not a number'],
    ['/dev/ttyUSB0,7', 'has baud rate 7: must be 50'],
    ['ws://', 'is not an address of a WebSocket'],
    ['file:', 'names no file'],
    ['nats://', 'is not a bus: expected nats://HOST:PORT'],
    ['nats://a/b', 'is not a bus'],
    ['nats://a,b', 'is not a bus'],
    ['nats://a?since=10', 'has since 10: expected a time such as 30s'],
    ['nats://a?until=10m', 'has an option until'],
    ['nats://a?collector=a.b', 'has collector a.b'],
  ])('%s', (text, sentence) => {
    expect(() => parseLink(text)).toThrow(LinkError);
    expect(() => parseLink(text)).toThrow(sentence);
  });

  test('a password in a bus is not repeated', () => {
    expect(() => parseLink('nats://ann:secret@a,nats://ann:secret@b')).toThrow(/^(?!.*secret)/);
    expect(() => parseLink('nats://ann:my/secret@a')).toThrow(/^(?!.*(my|secret))/);
    expect(() => parseLink('nats:ann:secret@a')).toThrow(/^(?!.*secret)/);
  });

  test('any text is a link or a sentence, and a link is read back as the same', () => {
    const texts = fc.oneof(
      fc.string(),
      fc
        .string({ unit: fc.constantFrom('/', ':', ',', '1', '57600', 'a', '.', '[', ']', '8n1', ' ') })
        .map((text) => `serial:${text}`),
      fc
        .tuple(
          fc.constantFrom('udp', 'udpin:', 'tcp://', 'serial:', '/dev/', 'ws://', 'file:', 'mcast:', 'nats://'),
          fc.string(),
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        let address: LinkAddress;
        try {
          address = parseLink(text);
        } catch (error) {
          expect(error).toBeInstanceOf(LinkError);
          return;
        }
        expect(parseLink(linkText(address))).toEqual(address);
      }),
      { numRuns: 3000 },
    );
  });
});
