import { type Sentence, sentence } from './sentence.ts';

/*
 * What is around: wind, air, water and depth, and transducers of any kind.
 * https://gpsd.gitlab.io/gpsd/NMEA.html
 */
export const WEATHER_SENTENCES: readonly Sentence[] = [
  // $--MWV,angle,reference,speed,unit,A*hh
  sentence('MWV', 'wind_angle/deg reference"1 wind_speed wind_speed_unit"1 status"1'),
  // $--MWD,direction,T,direction,M,speed,N,speed,M*hh
  sentence('MWD', 'wind_direction/deg =T wind_direction_magnetic/deg =M wind_speed_kn/kn =N wind_speed_ms/m/s =M'),
  // $--VWR,angle,L,speed,N,speed,M,speed,K*hh: of the wind as it is felt; to the left is negative
  sentence('VWR', 'wind_angle:RL/deg - wind_speed_kn/kn =N wind_speed_ms/m/s =M wind_speed_kmh/km/h =K'),
  // $--VWT,angle,L,speed,N,speed,M,speed,K*hh: of the true wind
  sentence('VWT', 'wind_angle:RL/deg - wind_speed_kn/kn =N wind_speed_ms/m/s =M wind_speed_kmh/km/h =K'),
  // $--MTW,temperature,C*hh
  sentence('MTW', 'temperature/degC =C'),
  // $--MTA,temperature,C*hh
  sentence('MTA', 'temperature/degC =C'),
  // $--MMB,pressure,I,pressure,B*hh
  sentence('MMB', 'pressure_inhg/inHg =I pressure/bar =B'),
  // $--MHU,relative,absolute,dew,C*hh
  sentence('MHU', 'humidity/% absolute_humidity/% dew_point/degC -'),
  // $--MDA,pressure,I,pressure,B,air,C,water,C,humidity,absolute,dew,C,wind,T,wind,M,speed,N,speed,M*hh
  sentence(
    'MDA',
    'pressure_inhg/inHg - pressure/bar - air_temperature/degC - water_temperature/degC - humidity/% ' +
      'absolute_humidity/% dew_point/degC - wind_direction/deg - wind_direction_magnetic/deg - wind_speed_kn/kn - ' +
      'wind_speed_ms/m/s -',
  ),
  // $--DBT,depth,f,depth,M,depth,F*hh
  sentence('DBT', 'depth_ft/ft =f depth/m =M depth_fathoms/fathom =F'),
  // $--DBS,depth,f,depth,M,depth,F*hh
  sentence('DBS', 'depth_ft/ft =f depth/m =M depth_fathoms/fathom =F'),
  // $--DBK,depth,f,depth,M,depth,F*hh
  sentence('DBK', 'depth_ft/ft =f depth/m =M depth_fathoms/fathom =F'),
  // $--DPT,depth,offset,range*hh
  sentence('DPT', 'depth/m offset/m range/m'),
  // $--XDR,type,value,unit,name (any number of transducers)*hh
  sentence('XDR', '(type"2 value unit"2 name"16)1?'),
];
