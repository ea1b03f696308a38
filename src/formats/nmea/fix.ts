import { type Sentence, sentence } from './sentence.ts';

/*
 * Where and when: the sentences of position and time, cell by cell as they stand behind the address.
 * https://gpsd.gitlab.io/gpsd/NMEA.html
 */
export const FIX_SENTENCES: readonly Sentence[] = [
  // $--GGA,hhmmss.ss,llll.ll,N,yyyyy.yy,E,quality,satellites,hdop,altitude,M,separation,M,age,station*hh
  sentence(
    'GGA',
    'time:time lat:lat - lon:lon - quality!quality satellites hdop altitude/m =M geoid_separation/m =M ' +
      'differential_age/s station_id"8',
  ),
  // $--RMC,hhmmss.ss,A,llll.ll,N,yyyyy.yy,E,speed,course,ddmmyy,variation,E,mode,S*hh
  sentence(
    'RMC',
    'time:time status"1 lat:lat - lon:lon - speed_kn/kn course/deg date:dmy magnetic_variation:EW/deg - mode"1 ' +
      'nav_status"1',
  ),
  // $--GLL,llll.ll,N,yyyyy.yy,E,hhmmss.ss,A,mode*hh
  sentence('GLL', 'lat:lat - lon:lon - time:time status"1 mode"1'),
  // $--GNS,hhmmss.ss,llll.ll,N,yyyyy.yy,E,modes,satellites,hdop,altitude,separation,age,station,S*hh
  sentence(
    'GNS',
    'time:time lat:lat - lon:lon - mode"8 satellites hdop altitude/m geoid_separation/m differential_age/s ' +
      'station_id"8 nav_status"1',
  ),
  // $--ZDA,hhmmss.ss,dd,mm,yyyy,hours,minutes*hh
  sentence('ZDA', 'time:time date:day+day month year zone_hours/h zone_minutes/min'),
  // $--GST,hhmmss.ss,rms,major,minor,orientation,latitude,longitude,altitude*hh
  sentence(
    'GST',
    'time:time range_rms/m semi_major/m semi_minor/m orientation/deg lat_error/m lon_error/m altitude_error/m',
  ),
  // $--GBS,hhmmss.ss,latitude,longitude,altitude,satellite,probability,bias,deviation,system,signal*hh
  sentence(
    'GBS',
    'time:time lat_error/m lon_error/m altitude_error/m failed_satellite missed_probability bias/m bias_error/m ' +
      'system_id:hex!system signal_id:hex',
  ),
  // $--GRS,hhmmss.ss,mode,x.x (of each satellite that GSA names, 12 in all),system,signal*hh
  sentence('GRS', 'time:time residual_mode (residual/m)12 system_id:hex!system signal_id:hex'),
  // $--DTM,datum,sub,x.x,N,x.x,E,altitude,reference*hh
  sentence(
    'DTM',
    'datum"8 subdatum"4 lat_offset:NS/arcmin - lon_offset:EW/arcmin - altitude_offset/m reference_datum"8',
  ),
  // $--RMA,A,llll.ll,N,yyyyy.yy,E,difference,difference,speed,course,variation,E*hh
  sentence(
    'RMA',
    'status"1 lat:lat - lon:lon - time_difference_a/us time_difference_b/us speed_kn/kn course/deg ' +
      'magnetic_variation:EW/deg -',
  ),
  // $--GLC,gri,toa,A,x.x,A,x.x,A,x.x,A,x.x,A,x.x,A*hh
  sentence(
    'GLC',
    'gri master_toa/us master_status"1 difference_1/us status_1"1 difference_2/us status_2"1 difference_3/us ' +
      'status_3"1 difference_4/us status_4"1 difference_5/us status_5"1',
  ),
];
