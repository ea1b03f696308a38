import { piecesOf } from '../../facts/information.ts';
import { chosen, median } from '../../series/holds.ts';
import { ATTITUDE, PACKS, POWER } from '../../series/quantities.ts';
import { IMPACT } from '../chain.ts';
import { type Severity, secondsOf, short } from '../finding.ts';
import { HARD_FAULT, type ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { leanOf } from './attitude.ts';
import { heightAt, packVoltage } from './computed.ts';

const CHECK = 'ending';
const TITLE = 'End of the log';
/** Microseconds before the end whose voltages show why it ended. */
const LAST = 2e6;
/** Metres a second that a vehicle climbs at most, on average since it was armed. */
const FASTEST = 8;
/** Volts by which the supply of a board may differ from what it was, and part of a battery's voltage. */
const STEADY = 0.1;
const STEADY_PART = 0.05;
/** Volts below which a board is close to a brown-out. */
const LOW = 4.8;

/** Characters shown of a crash dump. */
const DUMP = 4000;

/** The processor of the autopilot crashed: it says so at its next start, after the log of that flight. */
export async function checkHardFault(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const dumps = (await piecesOf(facts.log, 'hardfault_plain')).map((bytes) => new TextDecoder().decode(bytes));
  if (dumps.length === 0) return;
  const { end } = facts.span;
  report.add({
    check: CHECK,
    severity: 'fail',
    title: HARD_FAULT,
    text: `The processor of the autopilot crashed${dumps.length > 1 ? ` ${dumps.length} times` : ''}. ${dumps.join('\n').slice(0, DUMP)}`,
    advice: 'Report it with this log to those who make the firmware; do not fly with it.',
    from: end,
    to: end,
    fields: ['MULTI.hardfault_plain'],
  });
}

/** A log that ends in the air was cut, or its autopilot lost power; a flight that ends in the ground, crashed. */
export async function checkEnding(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  checkImpact(facts, report);
  const { log, phases, span, vehicle } = facts;
  if (phases.armedSource === null && phases.flyingSource === null) {
    report.noData(CHECK, TITLE, 'The log does not say whether the vehicle was armed or flying when it ended.');
    return;
  }
  const rule = report.rule(CHECK, 'height');
  const last = phases.flying[phases.flying.length - 1];
  const armed = phases.armed[phases.armed.length - 1];
  const isLogged = log.isOnboard;
  const isWheeled = vehicle.kind === 'Rover' || vehicle.kind === 'Sub';
  const isOpen = last?.open === true && facts.impact === undefined;
  // a log may end armed and high although its flight was not logged
  const open = isOpen ? last : armed?.open && isLogged && !isWheeled ? armed : undefined;
  const height = open && (await heightAt(facts, open.end, open.start, !isOpen));
  const isUp = height !== undefined && height.value > rule.value;
  // a barometer that climbs faster than vehicles do is broken
  const isClimbed = open !== undefined && isUp && height.value < FASTEST * ((open.end - open.start) / 1e6);
  if (!open || (!isOpen && !isClimbed) || facts.impact) {
    const text = facts.impact
      ? 'The log goes on after the impact.'
      : `The log does not end ${facts.flight.isGround ? 'in flight' : facts.flight.words}.`;
    report.add({ check: CHECK, severity: 'ok', title: TITLE, text, from: span.end, to: span.end });
    return;
  }
  const common = {
    check: CHECK,
    title: TITLE,
    from: open.end,
    to: open.end,
    value: height?.value ?? null,
    unit: 'm',
    rule,
    fields: height ? [height.name] : [],
  };
  const lasted = `after ${secondsOf(open.end - open.start)} ${isOpen ? 'in the air' : 'armed'}`;
  const up = height ? `${short(height.value)} m above take-off, ${lasted}` : lasted;
  if (!isLogged) {
    report.add({ ...common, severity: 'info', text: `The recording ends ${facts.flight.words}, ${up}.` });
  } else if (isWheeled) {
    report.add({ ...common, severity: 'info', text: 'The log ends while the vehicle is armed and moving.' });
  } else if (height && height.value <= rule.value) {
    report.add({
      ...common,
      severity: 'info',
      text: `The log ends while the vehicle is armed and flying, but only ${short(height.value)} m up: it may have landed and lost power, or hit the ground.`,
    });
  } else {
    const supply = (await isTumbling(facts, open.end))
      ? TUMBLING
      : facts.isSimulated
        ? SIMULATED
        : await supplyAtEnd(facts, open.end);
    report.add({
      ...common,
      severity: supply.severity,
      text: `The log ends in the air, armed, ${up}: ${supply.text}`,
      advice:
        supply.severity === 'info'
          ? ''
          : 'Check battery and board voltage just before the end, the power module, its connectors and wires.',
      fields: [...common.fields, ...supply.fields],
    });
  }
}

function checkImpact(facts: VehicleFacts, report: ReportBuilder): void {
  const { impact } = facts;
  if (!impact) return;
  const rule = report.rule(CHECK, 'sink');
  report.add({
    check: CHECK,
    severity: 'fail',
    title: IMPACT,
    text: `The vehicle hit the ground sinking at ${short(impact.sink)} m/s or more, and did not rise again.`,
    advice: 'Check the 10 s before it; what comes after it follows from the impact.',
    from: impact.time,
    to: impact.time,
    value: impact.sink,
    unit: 'm/s',
    rule,
    fields: [impact.field],
  });
}

const TUMBLING = { text: 'it was out of control, and crashed or lost power.', severity: 'fail', fields: [] } as const;
const SIMULATED = { text: 'a simulator loses no power, so the log was cut.', severity: 'info', fields: [] } as const;
/** Degrees from which a vehicle that holds itself in the air is out of control. */
const OVER = 75;
/** Microseconds before the end in which that counts. */
const TUMBLED = 5e6;

/** Whether a multicopter leaned so far at the end that it cannot have held itself in the air. */
async function isTumbling(facts: VehicleFacts, end: number): Promise<boolean> {
  const [attitude] = await facts.read(ATTITUDE);
  const { roll, pitch } = attitude?.values ?? {};
  if (facts.vehicle.kind !== 'Copter' || !attitude || !roll || !pitch) return false;
  const { times } = attitude;
  return roll.some((value, row) => times[row] > end - TUMBLED && times[row] <= end && leanOf(value, pitch[row]) > OVER);
}

/** Whether the board and its battery had their voltages to the last record: then the log was cut, not the power. */
async function supplyAtEnd(
  facts: VehicleFacts,
  end: number,
): Promise<{ text: string; severity: Severity; fields: readonly string[] }> {
  const [power] = await facts.read(POWER);
  const [pack] = await facts.read(PACKS);
  const board = power && lastOf(power.times, power.values.board, end);
  const battery = pack && lastOf(pack.times, packVoltage(pack), end);
  const fields = [board && power.names.board, battery && (pack.names.volts ?? pack.title)].flatMap(
    (name) => name ?? [],
  );
  const words = [
    ...(board ? [`board ${short(board.now)} V`] : []),
    ...(battery ? [`battery ${short(battery.now)} V`] : []),
  ].join(', ');
  const isBoardSteady = board !== undefined && board.now >= LOW && Math.abs(board.now - board.usual) <= STEADY;
  const isBatterySteady = !battery || Math.abs(battery.now - battery.usual) <= STEADY_PART * battery.usual;
  if (isBoardSteady && isBatterySteady)
    return {
      text: `the power was steady to the last record (${words}), so the log was cut.`,
      severity: 'info',
      fields,
    };
  if (!board && battery && isBatterySteady)
    return {
      text: `the battery was steady to the last record (${words}), so the log was cut, or the board alone lost power.`,
      severity: 'warn',
      fields,
    };
  if (words === '')
    return { text: 'the autopilot lost power (brown-out), or the log was cut.', severity: 'fail', fields };
  return {
    text: `the autopilot lost power (brown-out), or the log was cut; at the end: ${words}.`,
    severity: 'fail',
    fields,
  };
}

/** The lowest value of the last moments, and what it was in the flight before. */
function lastOf(
  times: Float64Array,
  values: Float64Array | undefined,
  end: number,
): { now: number; usual: number } | undefined {
  const late = Uint8Array.from(times, (time) => (time > end - LAST && time <= end ? 1 : 0));
  const known = values && chosen(values, late).filter((value) => value > 2);
  if (!values || !known || known.length === 0) return undefined;
  const before = values.filter((value, row) => times[row] <= end - LAST && times[row] > end - 30e6 && value > 2);
  return { now: known.reduce((a, b) => Math.min(a, b)), usual: median(before.length > 0 ? before : known) };
}
