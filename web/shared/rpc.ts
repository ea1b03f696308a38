import { errorText } from '../../src/entry/pages.ts';

/** Calls of functions in a worker. Both sides share the type of the functions. */
type Functions = Record<string, (...args: never[]) => unknown>;

interface CallMessage {
  readonly call: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

interface AnswerMessage {
  readonly call: number;
  readonly value?: unknown;
  readonly error?: string;
}

interface NoteMessage {
  readonly note: unknown;
}

type Calls<F extends Functions> = {
  [K in keyof F]: (...args: Parameters<F[K]>) => Promise<Awaited<ReturnType<F[K]>>>;
};

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The page's end: an object whose functions run in the worker. Notes are what the worker sends without a call. */
export function remote<F extends Functions>(worker: Worker, onNote: (note: unknown) => void): Calls<F> {
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  worker.addEventListener('message', ({ data }: MessageEvent<AnswerMessage | NoteMessage>) => {
    if (!('call' in data)) {
      onNote(data.note);
      return;
    }
    const caller = waiting.get(data.call);
    waiting.delete(data.call);
    if (data.error === undefined) caller?.resolve(data.value);
    else caller?.reject(new Error(data.error));
  });
  const fail = (text: string): void => {
    for (const { reject } of waiting.values()) reject(new Error(text));
    waiting.clear();
  };
  worker.addEventListener('error', (event) => fail(`the worker failed: ${event.message || 'it could not be loaded'}`));
  return new Proxy({} as Calls<F>, {
    get: (_, name) =>
      typeof name === 'string'
        ? (...args: unknown[]) =>
            new Promise((resolve, reject) => {
              calls++;
              waiting.set(calls, { resolve, reject });
              worker.postMessage({ call: calls, name, args } satisfies CallMessage);
            })
        : undefined,
  });
}

interface Port {
  addEventListener(type: 'message', listener: (event: MessageEvent<CallMessage>) => void): void;
  postMessage(message: unknown, transfer: Transferable[]): void;
}

/** The worker's end. Memory of typed arrays that were made for an answer goes with it, uncopied. */
export function answerCalls(port: Port, functions: Functions): void {
  port.addEventListener('message', async ({ data: { call, name, args } }) => {
    try {
      if (!Object.hasOwn(functions, name)) throw new RangeError(`the worker has no function ${name}`);
      const value = await functions[name](...(args as never[]));
      port.postMessage({ call, value } satisfies AnswerMessage, buffersOf(value));
    } catch (error) {
      port.postMessage({ call, error: errorText(error) }, []);
    }
  });
}

const transferable = new WeakSet<ArrayBuffer>();

/** Transfers an array made for this answer out of the worker, gone here afterwards; copies views of other memory. */
export function transfer<T extends Float64Array | Uint8Array>(array: T): T {
  const own = array.byteLength === array.buffer.byteLength ? array : (array.slice() as T);
  transferable.add(own.buffer as ArrayBuffer);
  return own;
}

function buffersOf(value: unknown, found: Set<ArrayBuffer> = new Set(), depth = 4): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) {
    const buffer = value.buffer as ArrayBuffer;
    if (transferable.has(buffer)) found.add(buffer);
  } else if (depth > 0 && typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) buffersOf(part, found, depth - 1);
  }
  return [...found];
}
