import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { nmeaClock } from '../formats/nmea/clock.ts';
import { SentenceCodec } from '../formats/nmea/codec.ts';

/**
 * The clock of the NMEA sentences of a log: the log's own where that goes by what they tell. In a packet capture it goes
 * by when packets came, and theirs is made beside it.
 */
export async function sentenceClock({ tables, clock }: Log): Promise<Clock> {
  const sentences = tables.filter(({ schema }) => schema.codec instanceof SentenceCodec);
  return sentences.some((table) => clock.field(table) !== undefined) ? clock : nmeaClock(sentences, {});
}
