import { type Sentence, sentence } from './sentence.ts';

/*
 * What is said: texts, alarms, calls, and the wrappings of AIS, whose payload is kept as it came.
 * https://gpsd.gitlab.io/gpsd/AIVDM.html
 */

/** Bytes from which on the text or payload of a sentence may be longer than usual. */
const LONG_TEXT = 64;

export const TRAFFIC_SENTENCES: readonly Sentence[] = [
  // !--VDM,fragments,number,message,channel,payload,fill*hh
  sentence('VDM', 'fragments fragment message_id channel"1 payload"64 fill_bits', { growsFrom: LONG_TEXT }),
  // !--VDO,fragments,number,message,channel,payload,fill*hh
  sentence('VDO', 'fragments fragment message_id channel"1 payload"64 fill_bits', { growsFrom: LONG_TEXT }),
  // $--TXT,sentences,number,identifier,text*hh
  sentence('TXT', 'messages message text_id text"64...', { growsFrom: LONG_TEXT }),
  // $--ALR,hhmmss.ss,number,A,V,text*hh
  sentence('ALR', 'time:time alarm condition"1 acknowledged"1 text"64...'),
  // $--ACK,number*hh
  sentence('ACK', 'alarm'),
  // $--HBT,interval,A,number*hh
  sentence('HBT', 'interval/s status"1 sequence'),
  // $--DSC,format,address,category,nature,communication,position,time,vessel,nature,acknowledgement,expansion*hh
  sentence(
    'DSC',
    'format address"10 category nature communication position"10 call_time"4 distress_vessel"10 distress_nature ' +
      'acknowledgement"1 expansion"1',
  ),
  // $--DSE,sentences,number,query,address,code,data*hh
  sentence('DSE', 'messages message query"1 address"10 data"64...'),
  // $STALK,xx,xx (bytes of a SeaTalk datagram)*hh
  sentence('ALK', '(byte:hex)4?'),
];
