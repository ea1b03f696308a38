import { type Sentence, sentence } from './sentence.ts';

/*
 * Which satellites: those in view and those in use.
 * https://gpsd.gitlab.io/gpsd/NMEA.html
 */

/** Bytes up to the checksum from which on a GSA may name more than 12 satellites, and a GSV more than 4. */
const LONG_GSA = 66;
const LONG_GSV = 70;

/** 12 slots in the standard; receivers have been seen with 3 and with 24. The system id behind the DOPs came with 4.10. */
function gsaSlots(cells: number): number {
  if (cells === 17 || cells === 18) return 12;
  return cells % 3 === 2 ? cells - 5 : cells % 3 === 0 ? cells - 6 : Math.min(12, cells - 2);
}

/**
 * Four cells a satellite; one cell more is the signal id of 4.10, two are signal and system id as Quectel has them.
 * Three are a satellite whose last cell, an empty one, was left out.
 */
function gsvSatellites(cells: number): number {
  return Math.floor((cells - 3) / 4) + ((cells - 3) % 4 === 3 ? 1 : 0);
}

export const SKY_SENTENCES: readonly Sentence[] = [
  // $--GSA,A,3,xx (12 satellites),pdop,hdop,vdop,system*hh
  sentence('GSA', 'mode"1 fix!fix (satellite_ids)12? pdop hdop vdop system_id:hex!system', {
    groups: gsaSlots,
    growsFrom: LONG_GSA,
  }),
  // $--GSV,sentences,number,satellites,prn,elevation,azimuth,snr (of up to 4 satellites),signal,system*hh
  sentence(
    'GSV',
    'messages message satellites (prn elevation/deg azimuth/deg snr/dB)4? signal_id:hex system_id:hex!system',
    { groups: gsvSatellites, growsFrom: LONG_GSV },
  ),
  // $--ALM,sentences,number,prn,week,health,eccentricity,reference,inclination,rate,axis,perigee,node,anomaly,f0,f1*hh
  sentence(
    'ALM',
    'messages message prn gps_week health:hex eccentricity:hex reference_time:hex inclination:hex ascension_rate:hex ' +
      'axis_root:hex perigee:hex ascension_node:hex mean_anomaly:hex clock_f0:hex clock_f1:hex',
  ),
  // $--MSS,strength,snr,frequency,rate,channel*hh
  sentence('MSS', 'signal_strength/dB snr/dB frequency/kHz bit_rate/bit/s channel'),
];
