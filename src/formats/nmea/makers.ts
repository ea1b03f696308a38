import { type Sentence, sentence } from './sentence.ts';

/*
 * The sentences of makers: the address is P, three letters of the maker, and what kind it is. Some put the kind in the
 * first cell; their name here is the address with it.
 */
export const MAKER_SENTENCES: readonly Sentence[] = [
  /*
   * LOCOSYS receivers with two antennas. What they send, and the older form of two cells:
   *   $PLSHD,status,satellites,satellites,length,heading,elevation*hh     status 0 invalid, 1 GNSS, 9 MEMS
   *   $PLSHD,heading,accuracy*hh
   */
  sentence('PLSHD', 'status satellites_1 satellites_2 baseline/m heading/deg pitch/deg', {
    short: [2, 'heading/deg heading_accuracy/deg'],
  }),

  // u-blox: https://content.u-blox.com/sites/default/files/u-blox-M10-SPG-5.10_InterfaceDescription_UBX-21035062.pdf
  // $PUBX,00,hhmmss.ss,llll.ll,N,yyyyy.yy,E,height,status,hacc,vacc,speed,course,down,age,hdop,vdop,tdop,used,0,dr*hh
  sentence(
    'PUBX00',
    '=00 time:time lat:lat - lon:lon - altitude_ellipsoid/m nav_status"2 horizontal_accuracy/m vertical_accuracy/m ' +
      'speed_kmh/km/h course/deg velocity_down/m/s differential_age/s hdop vdop tdop satellites - dead_reckoning',
  ),
  // $PUBX,03,satellites,prn,U,azimuth,elevation,snr,lock (of each satellite)*hh
  sentence('PUBX03', '=03 satellites (prn used:used azimuth/deg elevation/deg snr/dB lock_time/s)1?'),
  // $PUBX,04,hhmmss.ss,ddmmyy,tow,week,leap,bias,drift,granularity*hh
  sentence(
    'PUBX04',
    '=04 time:time date:dmy tow/s gps_week leap_seconds"4 clock_bias/ns clock_drift/ns/s pulse_granularity/ns',
  ),

  // Garmin: https://developer.garmin.com/downloads/legacy/uploads/2015/08/190-00684-00.pdf
  // $PGRME,error,M,error,M,error,M*hh
  sentence('PGRME', 'horizontal_accuracy/m =M vertical_accuracy/m =M position_accuracy/m =M'),
  // $PGRMF,week,seconds,ddmmyy,hhmmss,leap,llll.ll,N,yyyyy.yy,E,mode,fix,speed,course,pdop,tdop*hh
  sentence(
    'PGRMF',
    'gps_week tow/s date:dmy time:time leap_seconds lat:lat - lon:lon - mode"1 fix speed_kmh/km/h course/deg pdop tdop',
  ),
  // $PGRMM,datum*hh
  sentence('PGRMM', 'datum"32'),
  // $PGRMZ,altitude,f,fix*hh
  sentence('PGRMZ', 'altitude_ft/ft =f fix!fix'),
  // $PGRMV,east,north,up*hh
  sentence('PGRMV', 'velocity_east/m/s velocity_north/m/s velocity_up/m/s'),
  // $PGRMT,version,rom,receiver,data,clock,oscillator,collection,temperature,configuration*hh
  sentence(
    'PGRMT',
    'version"48 rom"1 receiver"1 stored_data"1 real_time_clock"1 oscillator"1 data_collection"1 temperature/degC ' +
      'configuration"1',
  ),
  // $PGRMB,frequency,rate,snr,quality,distance,K,status,source,mode*hh
  sentence('PGRMB', 'frequency/kHz bit_rate/bit/s snr/dB data_quality/% distance/km - status fix_source"1 mode"1'),

  // Trimble: https://receiverhelp.trimble.com/alloy-gnss/en-us/NMEA-0183messages_MessageOverview.html
  // $PTNL,GGK,hhmmss.ss,mmddyy,llll.ll,N,yyyyy.yy,E,quality,satellites,dop,EHTx.x,M*hh
  sentence(
    'PTNLGGK',
    '=GGK time:time date:mdy lat:lat - lon:lon - solution satellites pdop altitude_ellipsoid:lettered/m =M',
  ),
  // $PTNL,AVR,hhmmss.ss,yaw,Yaw,tilt,Tilt,roll,Roll,range,quality,pdop,satellites*hh
  sentence('PTNLAVR', '=AVR time:time yaw/deg - tilt/deg - roll/deg - range/m solution pdop satellites'),
  // $PTNL,VGK,hhmmss.ss,mmddyy,east,north,up,quality,satellites,dop,M*hh
  sentence('PTNLVGK', '=VGK time:time date:mdy east/m north/m up/m solution satellites pdop =M'),
  // $PTNL,VHD,hhmmss.ss,mmddyy,azimuth,rate,elevation,rate,range,rate,quality,satellites,pdop,M*hh
  sentence(
    'PTNLVHD',
    '=VHD time:time date:mdy azimuth/deg azimuth_rate/deg/s elevation/deg elevation_rate/deg/s range/m range_rate/m/s ' +
      'solution satellites pdop =M',
  ),
  // $PTNL,PJK,hhmmss.ss,mmddyy,northing,N,easting,E,quality,satellites,dop,EHTx.x,M*hh
  sentence('PTNLPJK', '=PJK time:time date:mdy northing/m - easting/m - solution satellites pdop height:lettered/m =M'),
  // $PTNL,BPQ,hhmmss.ss,mmddyy,llll.ll,N,yyyyy.yy,E,EHTx.x,M,quality*hh
  sentence('PTNLBPQ', '=BPQ time:time date:mdy lat:lat - lon:lon - altitude_ellipsoid:lettered/m =M solution'),
  // $PTNL,EVT,hhmmss.ss,port,events,week,day,leap*hh
  sentence('PTNLEVT', '=EVT time:time port"8 events gps_week day_of_week leap_seconds'),
  // $PTNLDG,strength,snr,frequency,rate,channel,status,performance*hh
  sentence('PTNLDG', 'signal_strength snr frequency/kHz bit_rate/bit/s channel tracking_status tracking_performance'),

  // Ashtech: https://receiverhelp.trimble.com/alloy-gnss/en-us/NMEA-0183messages_PASHR.html
  // $PASHR,hhmmss.ss,heading,T,roll,pitch,heave,accuracy,accuracy,accuracy,quality,status*hh
  sentence(
    'PASHR',
    'time:time heading/deg =T roll/deg pitch/deg heave/m roll_accuracy/deg pitch_accuracy/deg heading_accuracy/deg ' +
      'quality ins_status',
  ),
  // $PASHR,POS,solution,satellites,hhmmss.ss,llll.ll,N,yyyyy.yy,E,height,age,course,speed,up,pdop,hdop,vdop,tdop,version*hh
  sentence(
    'PASHRPOS',
    '=POS solution satellites time:time lat:lat - lon:lon - altitude_ellipsoid/m differential_age/s course/deg ' +
      'speed_kn/kn velocity_up/m/s pdop hdop vdop tdop firmware"8',
  ),
  // $PASHR,SAT,satellites,prn,azimuth,elevation,snr,U (of each satellite)*hh
  sentence('PASHRSAT', '=SAT satellites (prn azimuth/deg elevation/deg snr/dB used:used)1?'),

  // Magellan: http://www.gpsinformation.org/dale/nmea.htm
  // $PMGNST,version,fix,T,x,battery,x,prn*hh
  sentence('PMGNST', 'firmware"8 fix!fix has_fix"1 - battery/h - prn'),
  // $PMGNWPL,llll.ll,N,yyyyy.yy,E,altitude,M,waypoint,comment,icon*hh
  sentence('PMGNWPL', 'lat:lat - lon:lon - altitude/m - waypoint"16 comment"32 icon"8'),

  // SiRF: https://www.sparkfun.com/datasheets/GPS/NMEA%20Reference%20Manual1.pdf
  // $PSRF100,protocol,baud,data,stop,parity*hh
  sentence('PSRF100', 'protocol baud data_bits stop_bits parity'),
  // $PSRF103,message,mode,rate,checksum*hh
  sentence('PSRF103', 'message mode rate/s checksum_enabled'),
  // $PSRFEPE,hhmmss.ss,A,hdop,error,error,error,error*hh
  sentence(
    'PSRFEPE',
    'time:time status"1 hdop horizontal_accuracy/m vertical_accuracy/m speed_accuracy/m/s heading_accuracy/deg',
  ),

  // Kenwood radios: the positions of others
  // $PKNDS,hhmmss,A,llll.ll,N,yyyyy.yy,E,speed,course,ddmmyy,variation,W00,sender,status*hh
  sentence(
    'PKNDS',
    'time:time status"1 lat:lat - lon:lon - speed_kn/kn course/deg date:dmy magnetic_variation_size/deg - sender"16 ' +
      'sender_status',
  ),
  // $PKLDS,hhmmss,A,llll.ll,N,yyyyy.yy,E,speed,course,ddmmyy,variation,W00,fleet,sender,status*hh
  sentence(
    'PKLDS',
    'time:time status"1 lat:lat - lon:lon - speed_kn/kn course/deg date:dmy magnetic_variation_size/deg - fleet"16 ' +
      'sender"16 sender_status',
  ),
  // $PKNSH,llll.ll,N,yyyyy.yy,E,hhmmss,A,sender*hh
  sentence('PKNSH', 'lat:lat - lon:lon - time:time status"1 sender"16'),
  // $PKLSH,llll.ll,N,yyyyy.yy,E,hhmmss,A,fleet,sender*hh
  sentence('PKLSH', 'lat:lat - lon:lon - time:time status"1 fleet"16 sender"16'),
  // $PKWDWPL,hhmmss,A,llll.ll,N,yyyyy.yy,E,speed,course,ddmmyy,altitude,waypoint,symbol*hh
  sentence(
    'PKWDWPL',
    'time:time status"1 lat:lat - lon:lon - speed_kn/kn course/deg date:dmy altitude/m waypoint"16 symbol"8',
  ),
];
