/** Bytes from a device or a server, and back to it. */
export interface ByteLink {
  readonly name: string;
  /** Hands on what comes until the link ends. Returns why it ended; throws a sentence if it cannot be read. */
  read(receive: (bytes: Uint8Array) => void): Promise<string>;
  send(bytes: Uint8Array): void;
  close(): void;
}

/** What is used of Web Serial, https://wicg.github.io/serial/ */
interface SerialPort {
  readonly readable: ReadableStream<Uint8Array> | null;
  readonly writable: WritableStream<Uint8Array> | null;
  open(options: { readonly baudRate: number; readonly bufferSize?: number }): Promise<void>;
  close(): Promise<void>;
}

interface Serial {
  requestPort(): Promise<SerialPort>;
}

const serial = (): Serial | undefined => (navigator as { serial?: Serial }).serial;

export const hasSerial = (): boolean => serial() !== undefined;

/** Speeds of autopilots, receivers and sensors. On USB any will do. */
export const SPEEDS: readonly number[] = [115_200, 57_600, 38_400, 9600, 230_400, 460_800, 921_600];
/** Bytes that the browser keeps while the page is busy. */
const BUFFER = 1 << 16;

/** Lets the user choose a port, and opens it. */
export async function openSerial(baudRate: number): Promise<ByteLink> {
  const port = await serial()?.requestPort();
  if (!port) throw new Error('this browser has no Web Serial: use Chrome, Edge or Opera on a computer');
  await port.open({ baudRate, bufferSize: BUFFER });
  const writer = port.writable?.getWriter();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let isClosed = false;
  return {
    name: 'serial port',
    async read(receive) {
      // noise on the line ends a stream, and the port has another one
      while (port.readable && !isClosed) {
        reader = port.readable.getReader();
        try {
          for (;;) {
            const { value, done } = await reader.read();
            if (done) break;
            receive(value);
          }
        } catch (error) {
          // unplugged, or a wrong start bit
          if (!port.readable) throw error;
        } finally {
          reader.releaseLock();
        }
      }
      writer?.releaseLock();
      await port.close().catch(() => {});
      return isClosed ? '' : 'the port was closed';
    },
    send: (bytes) => void writer?.write(bytes).catch(() => {}),
    close() {
      isClosed = true;
      void reader?.cancel().catch(() => {});
    },
  };
}

/** What the policy of the page lets it connect to: nothing sent from here leaves the local network. */
function isNear({ hostname, host }: URL): boolean {
  return hostname === '127.0.0.1' || hostname === 'localhost' || hostname.endsWith('.local') || host === location.host;
}

/** Connects to a WebSocket that sends bytes. */
export function openSocket(text: string): Promise<ByteLink> {
  if (!URL.canParse(text)) return Promise.reject(new Error(`${text}: expected an address such as ws://127.0.0.1:5760`));
  const address = new URL(text);
  if (!/^wss?:$/.test(address.protocol)) return Promise.reject(new Error(`${text}: must begin with ws://`));
  if (!isNear(address))
    return Promise.reject(
      new Error(
        `${address.host}: this page connects to this machine and to names that end in .local only. For others use skein live ${text}`,
      ),
    );
  const socket = new WebSocket(address);
  socket.binaryType = 'arraybuffer';
  let end = (_why: string): void => {};
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  return new Promise((resolve, reject) => {
    socket.onclose = ({ code }) => {
      reject(new Error(`${address.host}: no connection`));
      end(`${address.host} closed the connection (${code})`);
    };
    socket.onopen = () =>
      resolve({
        name: address.host,
        read(receive) {
          const encoder = new TextEncoder();
          socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) =>
            receive(typeof data === 'string' ? encoder.encode(data) : new Uint8Array(data));
          return ended;
        },
        send(bytes) {
          if (socket.readyState === WebSocket.OPEN) socket.send(bytes as Uint8Array<ArrayBuffer>);
        },
        close() {
          end('');
          socket.close();
        },
      });
  });
}
