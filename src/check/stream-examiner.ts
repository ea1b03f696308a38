import { ChunkBuffer } from '../core/chunk-buffer.ts';
import { type MessageJudgement, MessageLevels } from './message-levels.ts';
import { MessageWalker } from './message-walker.ts';
import type { Examiner } from './violation.ts';

/** Looks at a file that is a stream of messages, in a telemetry log with the time before each. */
export class StreamExaminer implements Examiner {
  private readonly chunks: ChunkBuffer;

  constructor(judgement: MessageJudgement, isStamped: boolean) {
    const levels = new MessageLevels(judgement, { isStamped });
    const walker = new MessageWalker(judgement, levels, isStamped, false);
    this.chunks = new ChunkBuffer((bytes, from, base, final) => walker.scan(bytes, from, base, final));
  }

  push(bytes: Uint8Array): void {
    this.chunks.push(bytes);
  }

  end(): void {
    this.chunks.end();
  }
}
