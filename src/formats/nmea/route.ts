import { type Sentence, sentence } from './sentence.ts';

/*
 * Which way: waypoints, routes, what an autopilot is told, and targets.
 * https://gpsd.gitlab.io/gpsd/NMEA.html
 */
export const ROUTE_SENTENCES: readonly Sentence[] = [
  // $--RMB,A,error,L,origin,destination,llll.ll,N,yyyyy.yy,E,range,bearing,speed,A,mode*hh
  sentence(
    'RMB',
    'status"1 cross_track_error/nmi steer"1 origin"16 destination"16 lat:lat - lon:lon - range/nmi bearing/deg ' +
      'closing_speed_kn/kn arrival"1 mode"1',
  ),
  // $--APA,A,A,error,L,unit,A,A,bearing,M,destination*hh
  sentence(
    'APA',
    'status"1 cycle_lock"1 cross_track_error steer"1 unit"1 arrival"1 perpendicular"1 bearing_origin/deg ' +
      'bearing_origin_reference"1 destination"16',
  ),
  // $--APB,A,A,error,L,unit,A,A,bearing,M,destination,bearing,M,heading,M,mode*hh
  sentence(
    'APB',
    'status"1 cycle_lock"1 cross_track_error steer"1 unit"1 arrival"1 perpendicular"1 bearing_origin/deg ' +
      'bearing_origin_reference"1 destination"16 bearing/deg bearing_reference"1 heading_to_steer/deg ' +
      'heading_reference"1 mode"1',
  ),
  // $--BOD,bearing,T,bearing,M,destination,origin*hh
  sentence('BOD', 'bearing/deg - bearing_magnetic/deg - destination"16 origin"16'),
  // $--BWW,bearing,T,bearing,M,destination,origin*hh
  sentence('BWW', 'bearing/deg - bearing_magnetic/deg - destination"16 origin"16'),
  // $--BWC,hhmmss.ss,llll.ll,N,yyyyy.yy,E,bearing,T,bearing,M,distance,N,waypoint,mode*hh
  sentence(
    'BWC',
    'time:time lat:lat - lon:lon - bearing/deg - bearing_magnetic/deg - distance/nmi - waypoint"16 mode"1',
  ),
  // $--BWR,hhmmss.ss,llll.ll,N,yyyyy.yy,E,bearing,T,bearing,M,distance,N,waypoint,mode*hh
  sentence(
    'BWR',
    'time:time lat:lat - lon:lon - bearing/deg - bearing_magnetic/deg - distance/nmi - waypoint"16 mode"1',
  ),
  // $--XTE,A,A,error,L,unit,mode*hh
  sentence('XTE', 'status"1 cycle_lock"1 cross_track_error steer"1 unit"1 mode"1'),
  // $--XTR,error,L,unit*hh
  sentence('XTR', 'cross_track_error steer"1 unit"1'),
  // $--AAM,A,A,radius,N,waypoint*hh
  sentence('AAM', 'arrival"1 perpendicular"1 radius unit"1 waypoint"16'),
  // $--WPL,llll.ll,N,yyyyy.yy,E,waypoint*hh
  sentence('WPL', 'lat:lat - lon:lon - waypoint"16'),
  // $--RTE,sentences,number,mode,route,waypoint (any number of them)*hh
  sentence('RTE', 'messages message mode"1 route"16 (waypoint"16)1?'),
  // $--R00,waypoint (any number of them)*hh
  sentence('R00', '(waypoint"16)1?'),
  // $--WCV,speed,N,waypoint,mode*hh
  sentence('WCV', 'closing_speed_kn/kn - waypoint"16 mode"1'),
  // $--WNC,distance,N,distance,K,destination,origin*hh
  sentence('WNC', 'distance/nmi - distance_km/km - destination"16 origin"16'),
  // $--ZTG,hhmmss.ss,hhmmss.ss,waypoint*hh
  sentence('ZTG', 'time:time remaining:time waypoint"16'),
  // $--ZFO,hhmmss.ss,hhmmss.ss,waypoint*hh
  sentence('ZFO', 'time:time elapsed:time waypoint"16'),
  // $--TLL,number,llll.ll,N,yyyyy.yy,E,name,hhmmss.ss,status,reference*hh
  sentence('TLL', 'target lat:lat - lon:lon - name"16 time:time status"1 reference"1'),
  // $--TTM,number,distance,bearing,T,speed,course,T,cpa,tcpa,unit,name,status,reference,hhmmss.ss,type*hh
  sentence(
    'TTM',
    'target distance bearing/deg bearing_reference"1 speed course/deg course_reference"1 closest_distance ' +
      'closest_time/min unit"1 name"16 status"1 reference"1 time:time acquisition"1',
  ),
];
