import { type Sentence, sentence } from './sentence.ts';

/*
 * Where to and how fast: course, heading, speed, and what steers.
 * https://gpsd.gitlab.io/gpsd/NMEA.html
 */
export const MOTION_SENTENCES: readonly Sentence[] = [
  // $--VTG,course,T,course,M,speed,N,speed,K,mode*hh; old receivers leave the letters out
  sentence('VTG', 'course/deg =T course_magnetic/deg =M speed_kn/kn =N speed_kmh/km/h =K mode"1', {
    short: [4, 'course/deg course_magnetic/deg speed_kn/kn speed_kmh/km/h'],
  }),
  // $--HDT,heading,T*hh
  sentence('HDT', 'heading/deg =T'),
  // $--HDM,heading,M*hh
  sentence('HDM', 'heading/deg =M'),
  // $--HDG,heading,deviation,E,variation,E*hh
  sentence('HDG', 'heading/deg magnetic_deviation:EW/deg - magnetic_variation:EW/deg -'),
  // $--THS,heading,mode*hh
  sentence('THS', 'heading/deg mode"1'),
  // $--ROT,rate,A*hh
  sentence('ROT', 'rate_of_turn/deg/min status"1'),
  // $--VHW,heading,T,heading,M,speed,N,speed,K*hh
  sentence('VHW', 'heading/deg =T heading_magnetic/deg =M speed_kn/kn =N speed_kmh/km/h =K'),
  // $--VBW,along,across,A,along,across,A,stern,A,stern,A*hh
  sentence(
    'VBW',
    'water_along_kn/kn water_across_kn/kn water_status"1 ground_along_kn/kn ground_across_kn/kn ground_status"1 ' +
      'stern_water_kn/kn stern_water_status"1 stern_ground_kn/kn stern_ground_status"1',
  ),
  // $--VLW,distance,N,distance,N,distance,N,distance,N*hh
  sentence(
    'VLW',
    'water_distance/nmi =N water_distance_since_reset/nmi =N ground_distance/nmi =N ground_distance_since_reset/nmi =N',
  ),
  // $--VPW,speed,N,speed,M*hh
  sentence('VPW', 'speed_to_wind_kn/kn =N speed_to_wind/m/s =M'),
  // $--VDR,direction,T,direction,M,speed,N*hh
  sentence('VDR', 'set/deg =T set_magnetic/deg =M drift_kn/kn =N'),
  // $--OSD,heading,A,course,reference,speed,reference,set,drift,unit*hh
  sentence(
    'OSD',
    'heading/deg status"1 course/deg course_reference"1 speed speed_reference"1 set/deg drift speed_unit"1',
  ),
  // $--HSC,heading,T,heading,M*hh
  sentence('HSC', 'heading_to_steer/deg =T heading_to_steer_magnetic/deg =M'),
  // $--RSA,angle,A,angle,A*hh
  sentence('RSA', 'rudder/deg status"1 port_rudder/deg port_status"1'),
  // $--RPM,source,number,rpm,pitch,A*hh
  sentence('RPM', 'source"1 engine speed_rpm/rpm pitch/% status"1'),
  // $--HEV,heave*hh
  sentence('HEV', 'heave/m'),
];
