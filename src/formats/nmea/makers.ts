import { type Sentence, sentences } from './sentence.ts';

/*
 * The sentences of makers: the address is P, three letters of the maker, and what kind it is. Some put the kind in the
 * first cell; their name here is the address with it.
 */
export const MAKER_SENTENCES: readonly Sentence[] = sentences(
  [
    /*
     * LOCOSYS receivers with two antennas. What they send, and the older form of two cells:
     *   $PLSHD,status,satellites,satellites,length,heading,elevation*hh     status 0 invalid, 1 GNSS, 9 MEMS
     *   $PLSHD,heading,accuracy*hh
     */
    'PLSHD status satellites_1 satellites_2 baseline/m heading/deg pitch/deg',

    // u-blox: https://content.u-blox.com/sites/default/files/u-blox-M10-SPG-5.10_InterfaceDescription_UBX-21035062.pdf
    // $PUBX,00,hhmmss.ss,llll.ll,N,yyyyy.yy,E,height,status,hacc,vacc,speed,course,down,age,hdop,vdop,tdop,used,0,dr*hh
    'PUBX00 =00 time:time lat:lat - lon:lon - altitude_ellipsoid/m nav_status"2 horizontal_accuracy/m ' +
      'vertical_accuracy/m speed_kmh/km/h course/deg velocity_down/m/s differential_age/s hdop vdop tdop satellites - ' +
      'dead_reckoning',
    // $PUBX,03,satellites,prn,U,azimuth,elevation,snr,lock (of each satellite)*hh
    'PUBX03 =03 satellites (prn used:used azimuth/deg elevation/deg snr/dB lock_time/s)1?',
    // $PUBX,04,hhmmss.ss,ddmmyy,tow,week,leap,bias,drift,granularity*hh
    'PUBX04 =04 time:time date:dmy tow/s gps_week leap_seconds"4 clock_bias/ns clock_drift/ns/s pulse_granularity/ns',

    // Garmin: https://developer.garmin.com/downloads/legacy/uploads/2015/08/190-00684-00.pdf
    // $PGRME,error,M,error,M,error,M*hh
    'PGRME horizontal_accuracy/m =M vertical_accuracy/m =M position_accuracy/m =M',
    // $PGRMF,week,seconds,ddmmyy,hhmmss,leap,llll.ll,N,yyyyy.yy,E,mode,fix,speed,course,pdop,tdop*hh
    'PGRMF gps_week tow/s date:dmy time:time leap_seconds lat:lat - lon:lon - mode"1 fix speed_kmh/km/h course/deg ' +
      'pdop tdop',
    // $PGRMM,datum*hh
    'PGRMM datum"32',
    // $PGRMZ,altitude,f,fix*hh
    'PGRMZ altitude_ft/ft =f fix!fix',
    // $PGRMV,east,north,up*hh
    'PGRMV velocity_east/m/s velocity_north/m/s velocity_up/m/s',
    // $PGRMT,version,rom,receiver,data,clock,oscillator,collection,temperature,configuration*hh
    'PGRMT version"48 rom"1 receiver"1 stored_data"1 real_time_clock"1 oscillator"1 data_collection"1 temperature/degC ' +
      'configuration"1',
    // $PGRMB,frequency,rate,snr,quality,distance,K,status,source,mode*hh
    'PGRMB frequency/kHz bit_rate/bit/s snr/dB data_quality/% distance/km - status fix_source"1 mode"1',

    // Trimble: https://receiverhelp.trimble.com/alloy-gnss/en-us/NMEA-0183messages_MessageOverview.html
    // $PTNL,GGK,hhmmss.ss,mmddyy,llll.ll,N,yyyyy.yy,E,quality,satellites,dop,EHTx.x,M*hh
    'PTNLGGK =GGK time:time date:mdy lat:lat - lon:lon - solution satellites pdop altitude_ellipsoid:lettered/m =M',
    // $PTNL,AVR,hhmmss.ss,yaw,Yaw,tilt,Tilt,roll,Roll,range,quality,pdop,satellites*hh
    'PTNLAVR =AVR time:time yaw/deg - tilt/deg - roll/deg - range/m solution pdop satellites',
    // $PTNL,VGK,hhmmss.ss,mmddyy,east,north,up,quality,satellites,dop,M*hh
    'PTNLVGK =VGK time:time date:mdy east/m north/m up/m solution satellites pdop =M',
    // $PTNL,VHD,hhmmss.ss,mmddyy,azimuth,rate,elevation,rate,range,rate,quality,satellites,pdop,M*hh
    'PTNLVHD =VHD time:time date:mdy azimuth/deg azimuth_rate/deg/s elevation/deg elevation_rate/deg/s range/m ' +
      'range_rate/m/s solution satellites pdop =M',
    // $PTNL,PJK,hhmmss.ss,mmddyy,northing,N,easting,E,quality,satellites,dop,EHTx.x,M*hh
    'PTNLPJK =PJK time:time date:mdy northing/m - easting/m - solution satellites pdop height:lettered/m =M',
    // $PTNL,BPQ,hhmmss.ss,mmddyy,llll.ll,N,yyyyy.yy,E,EHTx.x,M,quality*hh
    'PTNLBPQ =BPQ time:time date:mdy lat:lat - lon:lon - altitude_ellipsoid:lettered/m =M solution',
    // $PTNL,EVT,hhmmss.ss,port,events,week,day,leap*hh
    'PTNLEVT =EVT time:time port"8 events gps_week day_of_week leap_seconds',
    // $PTNLDG,strength,snr,frequency,rate,channel,status,performance*hh
    'PTNLDG signal_strength snr frequency/kHz bit_rate/bit/s channel tracking_status tracking_performance',

    // Ashtech: https://receiverhelp.trimble.com/alloy-gnss/en-us/NMEA-0183messages_PASHR.html
    // $PASHR,hhmmss.ss,heading,T,roll,pitch,heave,accuracy,accuracy,accuracy,quality,status*hh
    'PASHR time:time heading/deg =T roll/deg pitch/deg heave/m roll_accuracy/deg pitch_accuracy/deg ' +
      'heading_accuracy/deg quality ins_status',
    // $PASHR,POS,solution,satellites,hhmmss.ss,llll.ll,N,yyyyy.yy,E,height,age,course,speed,up,pdop,hdop,vdop,tdop,version*hh
    'PASHRPOS =POS solution satellites time:time lat:lat - lon:lon - altitude_ellipsoid/m differential_age/s ' +
      'course/deg speed_kn/kn velocity_up/m/s pdop hdop vdop tdop firmware"8',
    // $PASHR,SAT,satellites,prn,azimuth,elevation,snr,U (of each satellite)*hh
    'PASHRSAT =SAT satellites (prn azimuth/deg elevation/deg snr/dB used:used)1?',

    // Magellan: http://www.gpsinformation.org/dale/nmea.htm
    // $PMGNST,version,fix,T,x,battery,x,prn*hh
    'PMGNST firmware"8 fix!fix has_fix"1 - battery/h - prn',
    // $PMGNWPL,llll.ll,N,yyyyy.yy,E,altitude,M,waypoint,comment,icon*hh
    'PMGNWPL lat:lat - lon:lon - altitude/m - waypoint"16 comment"32 icon"8',

    // SiRF: https://www.sparkfun.com/datasheets/GPS/NMEA%20Reference%20Manual1.pdf
    // $PSRF100,protocol,baud,data,stop,parity*hh
    'PSRF100 protocol baud data_bits stop_bits parity',
    // $PSRF103,message,mode,rate,checksum*hh
    'PSRF103 message mode rate/s checksum_enabled',
    // $PSRFEPE,hhmmss.ss,A,hdop,error,error,error,error*hh
    'PSRFEPE time:time status"1 hdop horizontal_accuracy/m vertical_accuracy/m speed_accuracy/m/s heading_accuracy/deg',

    // Kenwood radios: the positions of others
    // $PKNDS,hhmmss,A,llll.ll,N,yyyyy.yy,E,speed,course,ddmmyy,variation,W00,sender,status*hh
    'PKNDS time:time status"1 lat:lat - lon:lon - speed_kn/kn course/deg date:dmy magnetic_variation_size/deg - ' +
      'sender"16 sender_status',
    // $PKLDS,hhmmss,A,llll.ll,N,yyyyy.yy,E,speed,course,ddmmyy,variation,W00,fleet,sender,status*hh
    'PKLDS time:time status"1 lat:lat - lon:lon - speed_kn/kn course/deg date:dmy magnetic_variation_size/deg - ' +
      'fleet"16 sender"16 sender_status',
    // $PKNSH,llll.ll,N,yyyyy.yy,E,hhmmss,A,sender*hh
    'PKNSH lat:lat - lon:lon - time:time status"1 sender"16',
    // $PKLSH,llll.ll,N,yyyyy.yy,E,hhmmss,A,fleet,sender*hh
    'PKLSH lat:lat - lon:lon - time:time status"1 fleet"16 sender"16',
    // $PKWDWPL,hhmmss,A,llll.ll,N,yyyyy.yy,E,speed,course,ddmmyy,altitude,waypoint,symbol*hh
    'PKWDWPL time:time status"1 lat:lat - lon:lon - speed_kn/kn course/deg date:dmy altitude/m waypoint"16 symbol"8',
  ],
  { PLSHD: { short: [2, 'heading/deg heading_accuracy/deg'] } },
);

/* The sentences of receiver modules and of sensors of attitude, as makers.ts has those of receivers. */
export const MODULE_SENTENCES: readonly Sentence[] = sentences([
  // MediaTek: https://cdn-shop.adafruit.com/datasheets/PMTK_A11.pdf
  // $PMTK001,command,flag*hh
  'PMTK001 command flag',
  // $PMTK010,message*hh
  'PMTK010 message',
  // $PMTK011,text*hh
  'PMTK011 text"16...',
  // $PMTK705,release,build,product,sdk*hh
  'PMTK705 release"32 build"16 product"32 sdk"16',

  // SkyTraq: https://www.navsparkforum.com.tw/
  // $PSTI,030,hhmmss.ss,A,llll.ll,N,yyyyy.yy,E,altitude,east,north,up,ddmmyy,mode,age,ratio*hh
  'PSTI030 =030 time:time status"1 lat:lat - lon:lon - altitude/m velocity_east/m/s velocity_north/m/s ' +
    'velocity_up/m/s date:dmy mode"1 differential_age/s rtk_ratio',
  // $PSTI,032,hhmmss.ss,ddmmyy,A,mode,east,north,up,length,course*hh: from the base station
  'PSTI032 =032 time:time date:dmy status"1 mode"1 baseline_east/m baseline_north/m baseline_up/m baseline/m ' +
    'baseline_course/deg',
  // $PSTI,035,hhmmss.ss,ddmmyy,A,mode,east,north,up,length,course*hh: from a base that moves
  'PSTI035 =035 time:time date:dmy status"1 mode"1 baseline_east/m baseline_north/m baseline_up/m baseline/m ' +
    'baseline_course/deg',
  // $PSTI,036,hhmmss.ss,ddmmyy,heading,pitch,roll,mode*hh
  'PSTI036 =036 time:time date:dmy heading/deg pitch/deg roll/deg mode"1',

  // Quectel: https://www.quectel.com/download/quectel_lc29hlc79h_series_gnss_protocol_specification_v1-5/
  // $PQTMEPE,version,north,east,down,2d,3d*hh
  'PQTMEPE version north_accuracy/m east_accuracy/m down_accuracy/m horizontal_accuracy/m position_accuracy/m',
  // $PQTMVEL,version,hhmmss.ss,north,east,down,ground,speed,course,accuracy,accuracy,accuracy*hh
  'PQTMVEL version time:time velocity_north/m/s velocity_east/m/s velocity_down/m/s ground_speed/m/s speed/m/s ' +
    'course/deg ground_speed_accuracy/m/s speed_accuracy/m/s course_accuracy/deg',
  // $PQTMPVT,version,tow,yyyymmdd,hhmmss.ss,0,fix,satellites,leap,lat,lon,alt,sep,north,east,down,speed,course,hdop,pdop*hh
  'PQTMPVT version tow_ms/ms date:ymd time:time - fix satellites leap_seconds lat/deg lon/deg altitude/m ' +
    'geoid_separation/m velocity_north/m/s velocity_east/m/s velocity_down/m/s speed/m/s course/deg hdop pdop',
  // $PQTMDOP,version,tow,gdop,pdop,tdop,vdop,hdop,ndop,edop*hh
  'PQTMDOP version tow_ms/ms gdop pdop tdop vdop hdop ndop edop',
  // $PQTMTAR,version,hhmmss.ss,quality,0,length,pitch,roll,heading,accuracy,accuracy,accuracy,satellites*hh
  'PQTMTAR version time:time quality - baseline/m pitch/deg roll/deg heading/deg pitch_accuracy/deg ' +
    'roll_accuracy/deg heading_accuracy/deg satellites',
  // $PQTMINS,timestamp,solution,lat,lon,height,north,east,down,roll,pitch,yaw*hh
  'PQTMINS timestamp/ms solution lat/deg lon/deg altitude_ellipsoid/m velocity_north/m/s velocity_east/m/s ' +
    'velocity_down/m/s roll/deg pitch/deg yaw/deg',
  // $PQTMIMU,timestamp,x,y,z,x,y,z,ticks,timestamp*hh
  'PQTMIMU timestamp/ms acc_x/g acc_y/g acc_z/g gyr_x/deg/s gyr_y/deg/s gyr_z/deg/s wheel_ticks tick_timestamp/ms',
  // $PQTMVERNO,version,date,time*hh
  'PQTMVERNO version"32 build_date"16 build_time"16',
  // $PQVERNO,R,version,date,time*hh
  'PQVERNO access"1 version"32 build_date"16 build_time"16',

  // Unicore: $GYOACC,ddmmyy,hhmmss.ss,x,y,z,period,x,y,z,period,temperature,pulses,period,direction*hh
  'GYOACC date:dmy time:time gyr_x gyr_y gyr_z gyr_period/ms acc_x acc_y acc_z acc_period/ms temperature/degC pulses ' +
    'pulse_period/ms direction',

  // Septentrio: https://www.septentrio.com/en/products/gnss-receivers/gnss-receiver-modules/mosaic-x5
  // $PSSN,HRP,hhmmss.ss,ddmmyy,heading,roll,pitch,accuracy,accuracy,accuracy,satellites,mode,variation,E*hh
  'PSSNHRP =HRP time:time date:dmy heading/deg roll/deg pitch/deg heading_accuracy/deg roll_accuracy/deg ' +
    'pitch_accuracy/deg satellites mode magnetic_variation:EW/deg -',

  // Hemisphere: $PSAT,HPR,hhmmss.ss,heading,pitch,roll,source*hh
  'PSATHPR =HPR time:time heading/deg pitch/deg roll/deg source"1',

  /*
   * The strings of Xsens' MTi, https://www.xsens.com/hubfs/Downloads/Manuals/MT_Low-Level_Documentation.pdf
   *   $PSONCMS,q0,q1,q2,q3,x,y,z (m/s2),x,y,z (rad/s),x,y,z (normalised),temperature*hh
   *   $PRDID,pitch,roll,heading*hh
   *   $PHTRO,pitch,M,roll,B*hh     M bow up, P bow down; T port up, B port down
   *   $PTCF,heading,T,roll,pitch,rate,rate*hh     a blank means plus
   *   $XSVEL,x,y,z*hh
   */
  'PSONCMS quaternion_w quaternion_x quaternion_y quaternion_z acc_x/m/s2 acc_y/m/s2 acc_z/m/s2 gyr_x/rad/s ' +
    'gyr_y/rad/s gyr_z/rad/s mag_x mag_y mag_z temperature/degC',
  'PRDID pitch/deg roll/deg heading/deg',
  'PHTRO pitch:MP/deg - roll:TB/deg -',
  'PTCF heading/deg =T roll/deg pitch/deg roll_rate/deg/s pitch_rate/deg/s',
  'XSVEL velocity_x/m/s velocity_y/m/s velocity_z/m/s',
]);
