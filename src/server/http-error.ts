/** A request that is not answered as it wished: the status, and a sentence for whoever asked. */
export class HttpError extends Error {
  readonly status: number;
  /** Further headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.headers = headers;
  }

  /** What is sent. It says nothing that the one who asked did not know or need. */
  get body(): string {
    return `${JSON.stringify({ error: { status: this.status, message: this.message } })}\n`;
  }
}

const LONGEST_QUOTE = 80;

/** What a client wrote, short enough to be told to it again. */
export function quote(text: string): string {
  return JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}...` : text);
}
