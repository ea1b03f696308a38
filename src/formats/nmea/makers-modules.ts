import { type Sentence, sentence } from './sentence.ts';

/* The sentences of receiver modules and of sensors of attitude, as makers.ts has those of receivers. */
export const MODULE_SENTENCES: readonly Sentence[] = [
  // MediaTek: https://cdn-shop.adafruit.com/datasheets/PMTK_A11.pdf
  // $PMTK001,command,flag*hh
  sentence('PMTK001', 'command flag'),
  // $PMTK010,message*hh
  sentence('PMTK010', 'message'),
  // $PMTK011,text*hh
  sentence('PMTK011', 'text"16...'),
  // $PMTK705,release,build,product,sdk*hh
  sentence('PMTK705', 'release"32 build"16 product"32 sdk"16'),

  // SkyTraq: https://www.navsparkforum.com.tw/
  // $PSTI,030,hhmmss.ss,A,llll.ll,N,yyyyy.yy,E,altitude,east,north,up,ddmmyy,mode,age,ratio*hh
  sentence(
    'PSTI030',
    '=030 time:time status"1 lat:lat - lon:lon - altitude/m velocity_east/m/s velocity_north/m/s velocity_up/m/s ' +
      'date:dmy mode"1 differential_age/s rtk_ratio',
  ),
  // $PSTI,032,hhmmss.ss,ddmmyy,A,mode,east,north,up,length,course*hh: from the base station
  sentence(
    'PSTI032',
    '=032 time:time date:dmy status"1 mode"1 baseline_east/m baseline_north/m baseline_up/m baseline/m baseline_course/deg',
  ),
  // $PSTI,035,hhmmss.ss,ddmmyy,A,mode,east,north,up,length,course*hh: from a base that moves
  sentence(
    'PSTI035',
    '=035 time:time date:dmy status"1 mode"1 baseline_east/m baseline_north/m baseline_up/m baseline/m baseline_course/deg',
  ),
  // $PSTI,036,hhmmss.ss,ddmmyy,heading,pitch,roll,mode*hh
  sentence('PSTI036', '=036 time:time date:dmy heading/deg pitch/deg roll/deg mode"1'),

  // Quectel: https://www.quectel.com/download/quectel_lc29hlc79h_series_gnss_protocol_specification_v1-5/
  // $PQTMEPE,version,north,east,down,2d,3d*hh
  sentence(
    'PQTMEPE',
    'version north_accuracy/m east_accuracy/m down_accuracy/m horizontal_accuracy/m position_accuracy/m',
  ),
  // $PQTMVEL,version,hhmmss.ss,north,east,down,ground,speed,course,accuracy,accuracy,accuracy*hh
  sentence(
    'PQTMVEL',
    'version time:time velocity_north/m/s velocity_east/m/s velocity_down/m/s ground_speed/m/s speed/m/s course/deg ' +
      'ground_speed_accuracy/m/s speed_accuracy/m/s course_accuracy/deg',
  ),
  // $PQTMPVT,version,tow,yyyymmdd,hhmmss.ss,0,fix,satellites,leap,lat,lon,alt,sep,north,east,down,speed,course,hdop,pdop*hh
  sentence(
    'PQTMPVT',
    'version tow_ms/ms date:ymd time:time - fix satellites leap_seconds lat/deg lon/deg altitude/m ' +
      'geoid_separation/m velocity_north/m/s velocity_east/m/s velocity_down/m/s speed/m/s course/deg hdop pdop',
  ),
  // $PQTMDOP,version,tow,gdop,pdop,tdop,vdop,hdop,ndop,edop*hh
  sentence('PQTMDOP', 'version tow_ms/ms gdop pdop tdop vdop hdop ndop edop'),
  // $PQTMTAR,version,hhmmss.ss,quality,0,length,pitch,roll,heading,accuracy,accuracy,accuracy,satellites*hh
  sentence(
    'PQTMTAR',
    'version time:time quality - baseline/m pitch/deg roll/deg heading/deg pitch_accuracy/deg roll_accuracy/deg ' +
      'heading_accuracy/deg satellites',
  ),
  // $PQTMINS,timestamp,solution,lat,lon,height,north,east,down,roll,pitch,yaw*hh
  sentence(
    'PQTMINS',
    'timestamp/ms solution lat/deg lon/deg altitude_ellipsoid/m velocity_north/m/s velocity_east/m/s ' +
      'velocity_down/m/s roll/deg pitch/deg yaw/deg',
  ),
  // $PQTMIMU,timestamp,x,y,z,x,y,z,ticks,timestamp*hh
  sentence(
    'PQTMIMU',
    'timestamp/ms acc_x/g acc_y/g acc_z/g gyr_x/deg/s gyr_y/deg/s gyr_z/deg/s wheel_ticks tick_timestamp/ms',
  ),
  // $PQTMVERNO,version,date,time*hh
  sentence('PQTMVERNO', 'version"32 build_date"16 build_time"16'),
  // $PQVERNO,R,version,date,time*hh
  sentence('PQVERNO', 'access"1 version"32 build_date"16 build_time"16'),

  // Unicore: $GYOACC,ddmmyy,hhmmss.ss,x,y,z,period,x,y,z,period,temperature,pulses,period,direction*hh
  sentence(
    'GYOACC',
    'date:dmy time:time gyr_x gyr_y gyr_z gyr_period/ms acc_x acc_y acc_z acc_period/ms temperature/degC pulses ' +
      'pulse_period/ms direction',
  ),

  // Septentrio: https://www.septentrio.com/en/products/gnss-receivers/gnss-receiver-modules/mosaic-x5
  // $PSSN,HRP,hhmmss.ss,ddmmyy,heading,roll,pitch,accuracy,accuracy,accuracy,satellites,mode,variation,E*hh
  sentence(
    'PSSNHRP',
    '=HRP time:time date:dmy heading/deg roll/deg pitch/deg heading_accuracy/deg roll_accuracy/deg pitch_accuracy/deg ' +
      'satellites mode magnetic_variation:EW/deg -',
  ),

  // Hemisphere: $PSAT,HPR,hhmmss.ss,heading,pitch,roll,source*hh
  sentence('PSATHPR', '=HPR time:time heading/deg pitch/deg roll/deg source"1'),

  /*
   * The strings of Xsens' MTi, https://www.xsens.com/hubfs/Downloads/Manuals/MT_Low-Level_Documentation.pdf
   *   $PSONCMS,q0,q1,q2,q3,x,y,z (m/s2),x,y,z (rad/s),x,y,z (normalised),temperature*hh
   *   $PRDID,pitch,roll,heading*hh
   *   $PHTRO,pitch,M,roll,B*hh     M bow up, P bow down; T port up, B port down
   *   $PTCF,heading,T,roll,pitch,rate,rate*hh     a blank stands for plus
   *   $XSVEL,x,y,z*hh
   */
  sentence(
    'PSONCMS',
    'quaternion_w quaternion_x quaternion_y quaternion_z acc_x/m/s2 acc_y/m/s2 acc_z/m/s2 gyr_x/rad/s gyr_y/rad/s ' +
      'gyr_z/rad/s mag_x mag_y mag_z temperature/degC',
  ),
  sentence('PRDID', 'pitch/deg roll/deg heading/deg'),
  sentence('PHTRO', 'pitch:MP/deg - roll:TB/deg -'),
  sentence('PTCF', 'heading/deg =T roll/deg pitch/deg roll_rate/deg/s pitch_rate/deg/s'),
  sentence('XSVEL', 'velocity_x/m/s velocity_y/m/s velocity_z/m/s'),
];
