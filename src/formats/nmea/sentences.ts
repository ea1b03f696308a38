import { type Sentence, sentences } from './sentence.ts';

/*
 * Where and when: the sentences of position and time, cell by cell after the address.
 * https://gpsd.gitlab.io/gpsd/NMEA.html
 */
export const FIX_SENTENCES: readonly Sentence[] = sentences([
  // $--GGA,hhmmss.ss,llll.ll,N,yyyyy.yy,E,quality,satellites,hdop,altitude,M,separation,M,age,station*hh
  'GGA time:time lat:lat - lon:lon - quality!quality satellites hdop altitude/m =M geoid_separation/m =M ' +
    'differential_age/s station_id"8',
  // $--RMC,hhmmss.ss,A,llll.ll,N,yyyyy.yy,E,speed,course,ddmmyy,variation,E,mode,S*hh
  'RMC time:time status"1 lat:lat - lon:lon - speed_kn/kn course/deg date:dmy magnetic_variation:EW/deg - mode"1 ' +
    'nav_status"1',
  // $--GLL,llll.ll,N,yyyyy.yy,E,hhmmss.ss,A,mode*hh
  'GLL lat:lat - lon:lon - time:time status"1 mode"1',
  // $--GNS,hhmmss.ss,llll.ll,N,yyyyy.yy,E,modes,satellites,hdop,altitude,separation,age,station,S*hh
  'GNS time:time lat:lat - lon:lon - mode"8 satellites hdop altitude/m geoid_separation/m differential_age/s ' +
    'station_id"8 nav_status"1',
  // $--ZDA,hhmmss.ss,dd,mm,yyyy,hours,minutes*hh
  'ZDA time:time date:day+day month year zone_hours/h zone_minutes/min',
  // $--GST,hhmmss.ss,rms,major,minor,orientation,latitude,longitude,altitude*hh
  'GST time:time range_rms/m semi_major/m semi_minor/m orientation/deg lat_error/m lon_error/m altitude_error/m',
  // $--GBS,hhmmss.ss,latitude,longitude,altitude,satellite,probability,bias,deviation,system,signal*hh
  'GBS time:time lat_error/m lon_error/m altitude_error/m failed_satellite missed_probability bias/m bias_error/m ' +
    'system_id:hex!system signal_id:hex',
  // $--GRS,hhmmss.ss,mode,x.x (of each satellite that GSA names, 12 in all),system,signal*hh
  'GRS time:time residual_mode (residual/m)12 system_id:hex!system signal_id:hex',
  // $--DTM,datum,sub,x.x,N,x.x,E,altitude,reference*hh
  'DTM datum"8 subdatum"4 lat_offset:NS/arcmin - lon_offset:EW/arcmin - altitude_offset/m reference_datum"8',
  // $--RMA,A,llll.ll,N,yyyyy.yy,E,difference,difference,speed,course,variation,E*hh
  'RMA status"1 lat:lat - lon:lon - time_difference_a/us time_difference_b/us speed_kn/kn course/deg ' +
    'magnetic_variation:EW/deg -',
  // $--GLC,gri,toa,A,x.x,A,x.x,A,x.x,A,x.x,A,x.x,A*hh
  'GLC gri master_toa/us master_status"1 difference_1/us status_1"1 difference_2/us status_2"1 difference_3/us ' +
    'status_3"1 difference_4/us status_4"1 difference_5/us status_5"1',
]);

/*
 * Where to and how fast: course, heading, speed, and what steers.
 * https://gpsd.gitlab.io/gpsd/NMEA.html
 */
export const MOTION_SENTENCES: readonly Sentence[] = sentences(
  [
    // $--VTG,course,T,course,M,speed,N,speed,K,mode*hh; old receivers leave the letters out
    'VTG course/deg =T course_magnetic/deg =M speed_kn/kn =N speed_kmh/km/h =K mode"1',
    // $--HDT,heading,T*hh
    'HDT heading/deg =T',
    // $--HDM,heading,M*hh
    'HDM heading/deg =M',
    // $--HDG,heading,deviation,E,variation,E*hh
    'HDG heading/deg magnetic_deviation:EW/deg - magnetic_variation:EW/deg -',
    // $--THS,heading,mode*hh
    'THS heading/deg mode"1',
    // $--ROT,rate,A*hh
    'ROT rate_of_turn/deg/min status"1',
    // $--VHW,heading,T,heading,M,speed,N,speed,K*hh
    'VHW heading/deg =T heading_magnetic/deg =M speed_kn/kn =N speed_kmh/km/h =K',
    // $--VBW,along,across,A,along,across,A,stern,A,stern,A*hh
    'VBW water_along_kn/kn water_across_kn/kn water_status"1 ground_along_kn/kn ground_across_kn/kn ground_status"1 ' +
      'stern_water_kn/kn stern_water_status"1 stern_ground_kn/kn stern_ground_status"1',
    // $--VLW,distance,N,distance,N,distance,N,distance,N*hh
    'VLW water_distance/nmi =N water_distance_since_reset/nmi =N ground_distance/nmi =N ' +
      'ground_distance_since_reset/nmi =N',
    // $--VPW,speed,N,speed,M*hh
    'VPW speed_to_wind_kn/kn =N speed_to_wind/m/s =M',
    // $--VDR,direction,T,direction,M,speed,N*hh
    'VDR set/deg =T set_magnetic/deg =M drift_kn/kn =N',
    // $--OSD,heading,A,course,reference,speed,reference,set,drift,unit*hh
    'OSD heading/deg status"1 course/deg course_reference"1 speed speed_reference"1 set/deg drift speed_unit"1',
    // $--HSC,heading,T,heading,M*hh
    'HSC heading_to_steer/deg =T heading_to_steer_magnetic/deg =M',
    // $--RSA,angle,A,angle,A*hh
    'RSA rudder/deg status"1 port_rudder/deg port_status"1',
    // $--RPM,source,number,rpm,pitch,A*hh
    'RPM source"1 engine speed_rpm/rpm pitch/% status"1',
    // $--HEV,heave*hh
    'HEV heave/m',
  ],
  { VTG: { short: [4, 'course/deg course_magnetic/deg speed_kn/kn speed_kmh/km/h'] } },
);

/*
 * Which way: waypoints, routes, data for an autopilot, and targets.
 * https://gpsd.gitlab.io/gpsd/NMEA.html
 */
export const ROUTE_SENTENCES: readonly Sentence[] = sentences([
  // $--RMB,A,error,L,origin,destination,llll.ll,N,yyyyy.yy,E,range,bearing,speed,A,mode*hh
  'RMB status"1 cross_track_error/nmi steer"1 origin"16 destination"16 lat:lat - lon:lon - range/nmi bearing/deg ' +
    'closing_speed_kn/kn arrival"1 mode"1',
  // $--APA,A,A,error,L,unit,A,A,bearing,M,destination*hh
  'APA status"1 cycle_lock"1 cross_track_error steer"1 unit"1 arrival"1 perpendicular"1 bearing_origin/deg ' +
    'bearing_origin_reference"1 destination"16',
  // $--APB,A,A,error,L,unit,A,A,bearing,M,destination,bearing,M,heading,M,mode*hh
  'APB status"1 cycle_lock"1 cross_track_error steer"1 unit"1 arrival"1 perpendicular"1 bearing_origin/deg ' +
    'bearing_origin_reference"1 destination"16 bearing/deg bearing_reference"1 heading_to_steer/deg ' +
    'heading_reference"1 mode"1',
  // $--BOD,bearing,T,bearing,M,destination,origin*hh, and BWW
  'BOD|BWW bearing/deg - bearing_magnetic/deg - destination"16 origin"16',
  // $--BWC,hhmmss.ss,llll.ll,N,yyyyy.yy,E,bearing,T,bearing,M,distance,N,waypoint,mode*hh, and BWR
  'BWC|BWR time:time lat:lat - lon:lon - bearing/deg - bearing_magnetic/deg - distance/nmi - waypoint"16 mode"1',
  // $--XTE,A,A,error,L,unit,mode*hh
  'XTE status"1 cycle_lock"1 cross_track_error steer"1 unit"1 mode"1',
  // $--XTR,error,L,unit*hh
  'XTR cross_track_error steer"1 unit"1',
  // $--AAM,A,A,radius,N,waypoint*hh
  'AAM arrival"1 perpendicular"1 radius unit"1 waypoint"16',
  // $--WPL,llll.ll,N,yyyyy.yy,E,waypoint*hh
  'WPL lat:lat - lon:lon - waypoint"16',
  // $--RTE,sentences,number,mode,route,waypoint (any number of them)*hh
  'RTE messages message mode"1 route"16 (waypoint"16)1?',
  // $--R00,waypoint (any number of them)*hh
  'R00 (waypoint"16)1?',
  // $--WCV,speed,N,waypoint,mode*hh
  'WCV closing_speed_kn/kn - waypoint"16 mode"1',
  // $--WNC,distance,N,distance,K,destination,origin*hh
  'WNC distance/nmi - distance_km/km - destination"16 origin"16',
  // $--ZTG,hhmmss.ss,hhmmss.ss,waypoint*hh
  'ZTG time:time remaining:time waypoint"16',
  // $--ZFO,hhmmss.ss,hhmmss.ss,waypoint*hh
  'ZFO time:time elapsed:time waypoint"16',
  // $--TLL,number,llll.ll,N,yyyyy.yy,E,name,hhmmss.ss,status,reference*hh
  'TLL target lat:lat - lon:lon - name"16 time:time status"1 reference"1',
  // $--TTM,number,distance,bearing,T,speed,course,T,cpa,tcpa,unit,name,status,reference,hhmmss.ss,type*hh
  'TTM target distance bearing/deg bearing_reference"1 speed course/deg course_reference"1 closest_distance ' +
    'closest_time/min unit"1 name"16 status"1 reference"1 time:time acquisition"1',
]);

/*
 * Which satellites: those in view and those in use.
 * https://gpsd.gitlab.io/gpsd/NMEA.html
 */

/** Bytes up to the checksum from which on a GSA may name more than 12 satellites, and a GSV more than 4. */
const LONG_GSA = 66;
const LONG_GSV = 70;

/** 12 slots in the standard; receivers have been seen with 3 and with 24. The system id after the DOPs came with 4.10. */
function gsaSlots(cells: number): number {
  if (cells === 17 || cells === 18) return 12;
  return cells % 3 === 2 ? cells - 5 : cells % 3 === 0 ? cells - 6 : Math.min(12, cells - 2);
}

/** Four cells a satellite; one more is the signal id of 4.10, two are signal and system id (Quectel). */
function gsvSatellites(cells: number): number {
  return Math.floor((cells - 3) / 4) + ((cells - 3) % 4 === 3 ? 1 : 0);
}

export const SKY_SENTENCES: readonly Sentence[] = sentences(
  [
    // $--GSA,A,3,xx (12 satellites),pdop,hdop,vdop,system*hh
    'GSA mode"1 fix!fix (satellite_ids)12? pdop hdop vdop system_id:hex!system',
    // $--GSV,sentences,number,satellites,prn,elevation,azimuth,snr (of up to 4 satellites),signal,system*hh
    'GSV messages message satellites (prn elevation/deg azimuth/deg snr/dB)4? signal_id:hex system_id:hex!system',
    // $--ALM,sentences,number,prn,week,health,eccentricity,reference,inclination,rate,axis,perigee,node,anomaly,f0,f1*hh
    'ALM messages message prn gps_week health:hex eccentricity:hex reference_time:hex inclination:hex ' +
      'ascension_rate:hex axis_root:hex perigee:hex ascension_node:hex mean_anomaly:hex clock_f0:hex clock_f1:hex',
    // $--MSS,strength,snr,frequency,rate,channel*hh
    'MSS signal_strength/dB snr/dB frequency/kHz bit_rate/bit/s channel',
  ],
  { GSA: { groups: gsaSlots, growsFrom: LONG_GSA }, GSV: { groups: gsvSatellites, growsFrom: LONG_GSV } },
);

/*
 * What is said: texts, alarms, calls, and the wrappings of AIS, whose payload is kept as it came.
 * https://gpsd.gitlab.io/gpsd/AIVDM.html
 */

/** Bytes from which on the text or payload of a sentence may be longer than usual. */
const LONG_TEXT = 64;

export const TRAFFIC_SENTENCES: readonly Sentence[] = sentences(
  [
    // !--VDM,fragments,number,message,channel,payload,fill*hh, and VDO
    'VDM|VDO fragments fragment message_id channel"1 payload"64 fill_bits',
    // $--TXT,sentences,number,identifier,text*hh
    'TXT messages message text_id text"64...',
    // $--ALR,hhmmss.ss,number,A,V,text*hh
    'ALR time:time alarm condition"1 acknowledged"1 text"64...',
    // $--ACK,number*hh
    'ACK alarm',
    // $--HBT,interval,A,number*hh
    'HBT interval/s status"1 sequence',
    // $--DSC,format,address,category,nature,communication,position,time,vessel,nature,acknowledgement,expansion*hh
    'DSC format address"10 category nature communication position"10 call_time"4 distress_vessel"10 distress_nature ' +
      'acknowledgement"1 expansion"1',
    // $--DSE,sentences,number,query,address,code,data*hh
    'DSE messages message query"1 address"10 data"64...',
    // $STALK,xx,xx (bytes of a SeaTalk datagram)*hh
    'ALK (byte:hex)4?',
  ],
  { 'VDM|VDO': { growsFrom: LONG_TEXT }, TXT: { growsFrom: LONG_TEXT } },
);

/*
 * What is around: wind, air, water and depth, and transducers of any kind.
 * https://gpsd.gitlab.io/gpsd/NMEA.html
 */
export const WEATHER_SENTENCES: readonly Sentence[] = sentences([
  // $--MWV,angle,reference,speed,unit,A*hh
  'MWV wind_angle/deg reference"1 wind_speed wind_speed_unit"1 status"1',
  // $--MWD,direction,T,direction,M,speed,N,speed,M*hh
  'MWD wind_direction/deg =T wind_direction_magnetic/deg =M wind_speed_kn/kn =N wind_speed_ms/m/s =M',
  // $--VWR,angle,L,speed,N,speed,M,speed,K*hh: of the wind as it is felt; to the left is negative
  'VWR wind_angle:RL/deg - wind_speed_kn/kn =N wind_speed_ms/m/s =M wind_speed_kmh/km/h =K',
  // $--VWT,angle,L,speed,N,speed,M,speed,K*hh: of the true wind
  'VWT wind_angle:RL/deg - wind_speed_kn/kn =N wind_speed_ms/m/s =M wind_speed_kmh/km/h =K',
  // $--MTW,temperature,C*hh, and MTA
  'MTW|MTA temperature/degC =C',
  // $--MMB,pressure,I,pressure,B*hh
  'MMB pressure_inhg/inHg =I pressure/bar =B',
  // $--MHU,relative,absolute,dew,C*hh
  'MHU humidity/% absolute_humidity/% dew_point/degC -',
  // $--MDA,pressure,I,pressure,B,air,C,water,C,humidity,absolute,dew,C,wind,T,wind,M,speed,N,speed,M*hh
  'MDA pressure_inhg/inHg - pressure/bar - air_temperature/degC - water_temperature/degC - humidity/% ' +
    'absolute_humidity/% dew_point/degC - wind_direction/deg - wind_direction_magnetic/deg - wind_speed_kn/kn - ' +
    'wind_speed_ms/m/s -',
  // $--DBT,depth,f,depth,M,depth,F*hh, and DBS and DBK
  'DBT|DBS|DBK depth_ft/ft =f depth/m =M depth_fathoms/fathom =F',
  // $--DPT,depth,offset,range*hh
  'DPT depth/m offset/m range/m',
  // $--XDR,type,value,unit,name (any number of transducers)*hh
  'XDR (type"2 value unit"2 name"16)1?',
]);
