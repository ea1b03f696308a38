import { sqlName, sqlText } from '../core/names.ts';

/*
 * What is asked of a fleet, as SQL over the catalogue of a lake.
 */

/** Of which vehicles and days. */
export interface LakeChoice {
  readonly vehicle?: string | undefined;
  /** Days, yyyy-mm-dd: the first is one of them, the second is not. */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

function chosen({ vehicle, from, until }: LakeChoice, table: string): string {
  const parts = [
    vehicle === undefined ? [] : [`${table}.vehicle = ${sqlText(vehicle)}`],
    from === undefined ? [] : [`${table}.date >= DATE ${sqlText(from)}`],
    until === undefined ? [] : [`${table}.date < DATE ${sqlText(until)}`],
  ].flat();
  return parts.length === 0 ? 'true' : parts.join(' AND ');
}

/** Flights, each once: recordings that share half of the shorter are one, the onboard log's, else the longest's. */
function flown(choice: LakeChoice): string {
  return `
recorded AS (
  SELECT f.*, l.utc, l.kind, CASE WHEN l.format LIKE 'dataflash%' THEN 0 ELSE 1 END AS rank
  FROM catalogue.flights f JOIN catalogue.logs l USING (log) WHERE ${chosen(choice, 'f')}
),
flown AS (
  SELECT * FROM recorded a WHERE NOT EXISTS (
    SELECT 1 FROM recorded b
    WHERE a.utc AND b.utc AND b.vehicle = a.vehicle AND b.log <> a.log
      AND b.start < a."end" AND a.start < b."end"
      AND epoch_us(least(a."end", b."end")) - epoch_us(greatest(a.start, b.start)) > 0.5e6 * least(a.duration, b.duration)
      AND (b.rank < a.rank OR (b.rank = a.rank AND (b.in_air > a.in_air OR (b.in_air = a.in_air AND b.log < a.log))))
  )
)`;
}

/** A line for each vehicle: logs, flights, hours, distance, findings. */
export function vehiclesQuestion(choice: LakeChoice): string {
  return `
WITH ${flown(choice)},
per_log AS (
  SELECT vehicle, count(*) AS logs, count(*) FILTER (lost) AS damaged,
    arg_max(kind, coalesce(CASE WHEN utc THEN start END, ingested)) AS kind,
    arg_max(concat_ws(' ', firmware, version), coalesce(CASE WHEN utc THEN start END, ingested)) AS firmware
  FROM catalogue.logs l WHERE ${chosen(choice, 'l')} GROUP BY vehicle
),
per_flight AS (
  SELECT vehicle, count(*) AS flights, sum(in_air) / 3600 AS hours, sum(distance) / 1000 AS km,
    max(max_height) AS height, min(start) FILTER (utc) AS first, max("end") FILTER (utc) AS last
  FROM flown GROUP BY vehicle
),
per_finding AS (
  SELECT vehicle, count(*) FILTER (severity = 'fail') AS failures, count(*) FILTER (severity = 'warn') AS warnings
  FROM catalogue.findings f WHERE ${chosen(choice, 'f')} GROUP BY vehicle
)
SELECT l.vehicle, l.kind, l.firmware, l.logs, l.damaged, coalesce(flights, 0) AS flights,
  round(coalesce(hours, 0), 3) AS hours, round(km, 2) AS km, round(height, 1) AS max_height_m,
  date_trunc('second', first) AS first_flight, date_trunc('second', last) AS last_flight,
  coalesce(failures, 0) AS failures, coalesce(warnings, 0) AS warnings
FROM per_log l LEFT JOIN per_flight USING (vehicle) LEFT JOIN per_finding USING (vehicle)
ORDER BY vehicle`;
}

export function flightsQuestion(choice: LakeChoice): string {
  return `
WITH ${flown(choice)}
SELECT vehicle, kind, CASE WHEN utc THEN date_trunc('second', start) END AS start, flight,
  round(duration, 1) AS armed_s, round(in_air, 1) AS in_air_s, round(distance, 1) AS distance_m,
  round(max_height, 1) AS max_height_m, round(max_speed, 1) AS max_speed_m_s,
  round(milliamp_hours, 0) AS mah, round(start_volts, 2) AS start_v, round(end_volts, 2) AS end_v,
  errors, warnings, "open", log
FROM flown ORDER BY vehicle, utc DESC, flown.start, log, flight`;
}

/** All flights, and logs without one, newest first, in microseconds. Earlier catalogues have the path only. */
export function listQuestion(most: number): string {
  return `
WITH ${flown({})}
SELECT l.log, coalesce(f.flight, 0) AS flight, l.vehicle, l.kind, l.format, l.path, l.utc,
  concat_ws(' ', l.firmware, l.version) AS firmware, epoch_us(l.start) AS log_start,
  epoch_us(coalesce(f.start, l.start)) AS start, epoch_us(coalesce(f."end", l."end")) AS "end",
  f.in_air, f.distance, f.max_height, f.modes, f.milliamp_hours, f.percent, f.start_volts, f.end_volts,
  l.lost, f.flight IS NULL OR o.log IS NOT NULL AS once,
  CASE WHEN f.flight IS NOT NULL AND t.outline IS NOT NULL THEN f.outline ELSE coalesce(t.outline, t.wkb) END AS outline
FROM catalogue.logs l LEFT JOIN catalogue.flights f USING (log)
  LEFT JOIN flown o ON o.log = l.log AND o.flight = f.flight
  LEFT JOIN (SELECT log, any_value(outline) AS outline, any_value(wkb) AS wkb FROM catalogue.tracks GROUP BY log) t
    ON t.log = l.log
ORDER BY l.utc DESC, coalesce(f.start, l.start) DESC NULLS LAST, l.log, f.flight LIMIT ${most}`;
}

/** What the health reports found that a list of flights shows. */
export function listedFindingsQuestion(): string {
  return `
SELECT log, "check", severity, title, epoch_us(min(start)) AS start, epoch_us(max("end")) AS "end"
FROM catalogue.findings WHERE severity IN ('fail', 'warn') GROUP BY log, "check", severity, title
ORDER BY log, severity, "check", title`;
}

/** What the health reports of all logs found, the most frequent failures first. */
export function findingsQuestion(choice: LakeChoice): string {
  return `
SELECT "check", severity, title, count(DISTINCT f.vehicle) AS vehicles, count(DISTINCT log) AS logs,
  min(f.date) AS first, max(f.date) AS last, string_agg(DISTINCT f.vehicle, ' ' ORDER BY f.vehicle) AS which
FROM catalogue.findings f WHERE severity IN ('fail', 'warn') AND ${chosen(choice, 'f')}
GROUP BY ALL ORDER BY severity, logs DESC, "check", title`;
}

/** A field of a table, of one stream or of each. */
export interface TrendField {
  readonly table: string;
  readonly stream: string | undefined;
  readonly field: string;
}

/** A value over flights: what it was in each of them, and how far that is from the flight before. */
export function trendQuestion({ table, stream, field }: TrendField, choice: LakeChoice): string {
  const value = `CAST(t.${sqlName(field)} AS DOUBLE)`;
  return `
WITH ${flown(choice)},
per_flight AS (
  SELECT f.vehicle, f.utc, f.start, f.log, f.flight, t.stream, count(${value}) AS "count",
    min(${value}) AS least, avg(${value}) AS mean, max(${value}) AS most
  FROM flown f JOIN ${sqlName(table)} t
    ON t.log = f.log AND t.vehicle = f.vehicle AND t.date IS NOT DISTINCT FROM f.date
    AND t.time >= f.start AND t.time <= f."end"
  WHERE ${chosen(choice, 't')} AND NOT isnan(${value})${stream === undefined ? '' : ` AND t.stream = ${sqlText(stream)}`}
  GROUP BY ALL
)
SELECT vehicle, stream, CASE WHEN utc THEN date_trunc('second', start) END AS start, flight, "count", least, mean, most,
  mean - lag(mean) OVER (PARTITION BY vehicle, stream ORDER BY utc, per_flight.start, log, flight) AS change
FROM per_flight ORDER BY vehicle, stream, utc, per_flight.start, log, flight`;
}

/** A parameter's value, the same from any kind of log: 0.1 and 0.10000000149 are one 32-bit float. */
function parameterValue(value: string): string {
  return `CASE WHEN ${value} = round(${value}) THEN ${value} ELSE CAST(CAST(CAST(${value} AS FLOAT) AS VARCHAR) AS DOUBLE) END`;
}

/** The newest value of each parameter of each vehicle, where those of one kind do not agree. */
export function parametersQuestion(choice: LakeChoice, withNoise: boolean): string {
  return `
WITH newest AS (
  SELECT p.vehicle, p.name, l.kind,
    arg_max(${parameterValue('p.value')}, coalesce(CASE WHEN l.utc THEN l.start END, l.ingested)) AS value
  FROM catalogue.parameters p JOIN catalogue.logs l USING (log)
  WHERE ${chosen(choice, 'p')}${withNoise ? '' : ' AND NOT p.noise'}
  GROUP BY ALL
),
counted AS (SELECT kind, name, value, count(*) AS vehicles, list(vehicle ORDER BY vehicle) AS which FROM newest GROUP BY ALL),
ranked AS (
  SELECT *, row_number() OVER (PARTITION BY kind, name ORDER BY vehicles DESC, value) AS place,
    count(*) OVER (PARTITION BY kind, name) AS "values", sum(vehicles) OVER (PARTITION BY kind, name) AS "all"
  FROM counted
)
SELECT kind, name, value, vehicles, "all" AS of, CASE WHEN place = 1 THEN 'usual' ELSE array_to_string(which, ' ') END AS which
FROM ranked WHERE "values" > 1 ORDER BY kind, name, place`;
}

/** How parameters of one vehicle changed from log to log. */
export function changesQuestion(choice: LakeChoice, withNoise: boolean): string {
  return `
WITH all_values AS (
  SELECT p.name, ${parameterValue('p.value')} AS value, CASE WHEN l.utc THEN l.start END AS start, l.log,
    lag(${parameterValue('p.value')}) OVER (PARTITION BY p.name ORDER BY coalesce(CASE WHEN l.utc THEN l.start END, l.ingested), l.log) AS before
  FROM catalogue.parameters p JOIN catalogue.logs l USING (log)
  WHERE ${chosen(choice, 'p')}${withNoise ? '' : ' AND NOT p.noise'}
)
SELECT date_trunc('second', start) AS start, name, before, value AS after, log
FROM all_values WHERE before IS NOT NULL AND value IS DISTINCT FROM before ORDER BY all_values.start, log, name`;
}
