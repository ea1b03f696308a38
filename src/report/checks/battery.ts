import {
  chosen,
  extremeRow,
  findExceedances,
  lastedInAll,
  peakOf,
  quantile,
  regression,
  smoothed,
  usualStep,
  valuesBefore,
} from '../../series/holds.ts';
import { BATTERY_CELLS, PACKS, type PackKey } from '../../series/quantities.ts';
import type { QuantityRows } from '../../series/quantity-rows.ts';
import { secondsOf, short } from '../finding.ts';
import type { ReportBuilder } from '../report-builder.ts';
import type { Rule } from '../rules.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { packVoltage } from './computed.ts';
import { during, judgeLevel } from './judge.ts';

const ADVICE = 'Charge it fully and check its cells at rest; land earlier, or use a pack that delivers more current.';

/** Amperes that a current must range over to show a resistance. */
const ENOUGH_CURRENT = 3;
const ENOUGH_ROWS = 50;
/** Volts that no vehicle has; it is damage. */
const MOST_VOLTS = 1000;
/** Volts below which nothing is connected. */
const NO_BATTERY = 2;
/** Microseconds of flight after which a lower voltage is discharge, not sag. */
const SAG_TIME = 60e6;

/** A pack with what could be found out about it. */
interface BatteryPack extends QuantityRows<PackKey> {
  readonly volts: Float64Array;
  readonly cells: number;
  /** Where the cell count is from. */
  readonly told: string;
  /** Whether the number is a guess that may be one too many. */
  readonly isDoubtful: boolean;
}

/** Voltage under load, sag, resistance and charge of each pack. */
export async function checkBattery(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const packs = (await facts.read(PACKS)).flatMap((reading) => packOf(facts, report, reading) ?? []);
  facts.forget(PACKS);
  if (packs.length === 0) {
    report.noData('battery', 'Battery', 'No battery voltage in the log: not measured, or not logged.');
    return;
  }
  for (const pack of packs) {
    checkMonitor(facts, report, pack);
    const lowest = checkVoltage(facts, report, pack);
    checkRemaining(facts, report, pack, lowest);
    checkDrain(facts, report, pack);
    checkWarning(facts, report, pack);
    checkSag(facts, report, pack);
    checkStep(facts, report, pack);
    checkResistance(facts, report, pack);
  }
  report.plot(
    { check: 'battery', title: 'Battery voltage', unit: 'V', limits: [] },
    packs.map(({ times, volts, names, title }) => ({ name: names.volts ?? title, times, values: volts })),
  );
}

function nameOf({ instance }: QuantityRows<PackKey>): string {
  return instance === '' ? 'Battery' : `Battery ${instance}`;
}

function packOf(facts: VehicleFacts, report: ReportBuilder, reading: QuantityRows<PackKey>): BatteryPack | undefined {
  const volts = packVoltage(reading)?.map((value) => (value > NO_BATTERY ? value : Number.NaN));
  // an input that is there may have no battery
  if (!volts || (reading.values.connected && !reading.values.connected.some((value) => value > 0))) return undefined;
  const most = quantile(volts, 0.999);
  if (!(most < MOST_VOLTS)) return undefined;
  const number = Number(reading.instance) > 0 ? String(Number(reading.instance) + 1) : '';
  const px4 = facts.parameter(`BAT${number || 1}_N_CELLS`) ?? facts.parameter('BAT_N_CELLS');
  if (px4 && px4 > 0) return { ...reading, volts, cells: px4, told: 'from BAT_N_CELLS', isDoubtful: false };
  const counted = reading.values.cellCount && quantile(reading.values.cellCount, 0.5);
  if (counted !== undefined && counted > 0)
    return { ...reading, volts, cells: counted, told: 'as the autopilot says', isDoubtful: false };
  const full = facts.parameter('MOT_BAT_VOLT_MAX');
  const cells = full ? Math.round(full / FULL_CELL) : 0;
  if (cells > 0 && most / cells < FULL_CELL + 0.2 && most / cells > 2.5)
    return { ...reading, volts, cells, told: 'from MOT_BAT_VOLT_MAX', isDoubtful: false };
  const guess = Math.max(1, Math.ceil(most / report.limit('battery', 'cellFull')));
  return { ...reading, volts, cells: guess, told: `from its ${short(most)} V`, isDoubtful: most / guess < EMPTY_CELL };
}

/** Volts of a full cell of lithium polymer. */
const FULL_CELL = 4.2;
/** Volts at rest below which a cell is nearly empty. */
const EMPTY_CELL = 3.6;

/** The lowest voltage against the vehicle's limits, else a cell's. Returns the low cell voltage for the charge. */
function checkVoltage(facts: VehicleFacts, report: ReportBuilder, pack: BatteryPack): number {
  const { times, values, volts, cells, told, isDoubtful, names, title, instance } = pack;
  const number = Number(instance) > 0 ? String(Number(instance) + 1) : '';
  const own = (name: string): Rule | undefined => {
    const value = facts.parameter(`BATT${number}_${name}`);
    return value && value > NO_BATTERY
      ? { value: value / cells, unit: 'V', text: '', source: `BATT${number}_${name} of this log` }
      : undefined;
  };
  const [low, critical] = [own('LOW_VOLT'), own('CRT_VOLT')];
  const warn = low ?? report.rule('battery', 'cellWarn');
  // a limit that is set lower than ours was set on purpose
  const fallback = report.rule('battery', 'cellFail');
  const fail = critical ?? (low && low.value < fallback.value ? low : fallback);
  judgeLevel(report, {
    check: 'battery',
    title: `${nameOf(pack)}: voltage`,
    instance,
    times,
    lines: [
      { name: `${names.volts ?? title} per cell (${cells} cells, ${told})`, values: volts.map((v) => v / cells) },
    ],
    unit: 'V',
    sign: -1,
    warn,
    fail,
    hold: report.micros('battery', 'hold'),
    meaning: 'An empty or weak battery: motors lose thrust, and the voltage may collapse.',
    advice: ADVICE,
    fields: [names.volts ?? title],
    soften: () => {
      if (!low && !critical && isDoubtful)
        return {
          severity: 'info',
          because: 'The cell count is a guess, and would mean an empty pack before take-off.',
        };
      return values.warning && restOf(facts, pack) / cells < warn.value
        ? { severity: 'info', because: 'It was as low before the flight: the pack or its cell count is another one.' }
        : undefined;
    },
  });
  return warn.value * cells;
}

function checkRemaining(facts: VehicleFacts, report: ReportBuilder, pack: BatteryPack, lowest: number): void {
  const { times, values, names, volts, instance } = pack;
  const remaining = values.remaining?.map((value) => (value >= 0 && value <= 100 ? value : Number.NaN));
  if (!remaining || !chosen(remaining, facts.flight.mask(times)).some((value) => value > 0)) {
    report.noData('battery', `${nameOf(pack)}: charge`, 'No remaining charge in the log.');
    return;
  }
  judgeLevel(report, {
    check: 'battery',
    title: `${nameOf(pack)}: charge`,
    instance,
    times,
    lines: [{ name: names.remaining as string, values: remaining }],
    unit: '%',
    sign: -1,
    warn: report.rule('battery', 'remainingWarn'),
    fail: report.rule('battery', 'remainingFail'),
    hold: report.micros('battery', 'hold'),
    meaning: 'Little was left for a second landing attempt.',
    advice: 'Land earlier; if the voltage was fine, check the capacity set for this pack.',
    soften: (severity) => {
      const row = extremeRow(volts, facts.flight.mask(times), -1);
      return severity === 'fail' && row >= 0 && volts[row] > lowest
        ? { severity: 'warn', because: 'The voltage disagrees: it stayed above the low limit.' }
        : undefined;
    },
  });
}

/** A voltage that falls to nothing in flight: no battery does so and flies on, but its monitor or plug. */
function checkMonitor(facts: VehicleFacts, report: ReportBuilder, pack: BatteryPack): void {
  const { times, names, title, instance } = pack;
  const isNone = pack.volts.map((volts) => (Number.isNaN(volts) ? 1 : 0));
  const holds = findExceedances(times, isNone, facts.flight.mask(times), 0.5, report.micros('battery', 'hold'));
  if (holds.length === 0) return;
  report.add({
    check: 'battery',
    severity: 'warn',
    title: `${nameOf(pack)}: monitor`,
    instance,
    text: `The voltage was below ${NO_BATTERY} V ${facts.flight.words} for ${secondsOf(lastedInAll(holds))}, while the vehicle kept going: the battery monitor failed.`,
    advice: 'Check the power module, its connector and wires.',
    ...during(holds),
    fields: [names.volts ?? title],
  });
}

/** Microseconds over which a discharge is measured. */
const DRAIN_WINDOW = 3e6;

/** A charge that falls much faster than before, for long: an estimate by voltage dips at take-off and recovers. */
function checkDrain(facts: VehicleFacts, report: ReportBuilder, { times, values, names, instance }: BatteryPack): void {
  const { remaining } = values;
  const { from } = facts.flight.when;
  if (!remaining || from === null || facts.flight.isGround) return;
  const before = valuesBefore(times, remaining, DRAIN_WINDOW);
  const rates = remaining.map((left, row) => (before[row] - left) / (DRAIN_WINDOW / 1e6));
  const mask = facts.flight.mask(times, DRAIN_WINDOW);
  const rule = report.rule('battery', 'drainWarn');
  const hold = report.micros('battery', 'drainHold');
  const [fast] = findExceedances(times, rates, mask, rule.value, hold);
  if (!fast) return;
  const calm = chosen(rates.subarray(0, fast.first), mask).slice(0, ENOUGH_RATES);
  const early = calm.length < LEAST_RATES ? Number.NaN : quantile(calm, 0.5);
  // a log that begins with it has nothing to compare with
  const limit = Number.isNaN(early)
    ? report.limit('battery', 'drainFast')
    : Math.max(rule.value, report.limit('battery', 'drainTimes') * Math.max(0, early));
  const holds = findExceedances(times, rates, mask, limit, hold);
  if (holds.length === 0) return;
  const most = holds.reduce((a, b) => (b.peak > a.peak ? b : a));
  report.add({
    check: 'battery',
    severity: 'warn',
    title: `${Number(instance) > 0 ? `Battery ${instance}` : 'Battery'}: drain`,
    instance,
    text: `The charge fell by ${short(most.peak)} % a second for ${secondsOf(lastedInAll(holds))}${Number.isNaN(early) ? '' : `; at the start of the flight it fell by ${short(early)} %`}.`,
    advice: 'Check for a short circuit, a weak cell, and the capacity set for this pack.',
    // a window shows a change late, the sooner the greater it is
    ...during(
      holds.map((hold) => ({ start: hold.start - DRAIN_WINDOW * Math.min(1, limit / hold.peak), end: hold.end })),
    ),
    value: most.peak,
    unit: '%/s',
    threshold: limit,
    source: rule.source,
    fields: [names.remaining],
  });
}

/** Rows of a flight that say what a usual discharge is, and how many of them are needed. */
const ENOUGH_RATES = 20;
const LEAST_RATES = 3;

/** battery_status.warning of PX4. */
const WARNINGS: readonly string[] = ['none', 'low', 'critical', 'emergency', 'failed'];
const CRITICAL = 2;

/** What the autopilot itself says of its battery, where it said that all was well before. */
function checkWarning(
  facts: VehicleFacts,
  report: ReportBuilder,
  { times, values, names, instance }: BatteryPack,
): void {
  const { warning } = values;
  if (!warning) return;
  const mask = facts.flight.mask(times);
  const holds = findExceedances(times, warning, mask, 0, 0).filter(
    ({ first }) => first > 0 && warning[first - 1] === 0,
  );
  if (holds.length === 0) return;
  const most = peakOf(holds);
  report.add({
    check: 'battery',
    severity: most >= CRITICAL ? 'fail' : 'warn',
    title: `${Number(instance) > 0 ? `Battery ${instance}` : 'Battery'}: warning`,
    instance,
    text: `The autopilot called the battery ${WARNINGS[most] ?? `level ${most}`} ${facts.flight.words}.`,
    advice: ADVICE,
    ...during(holds),
    value: most,
    fields: [names.warning],
  });
}

/** The voltage at rest in the last minute before the flight; NaN if there is none. */
function restOf(facts: VehicleFacts, { times, volts }: BatteryPack): number {
  const start = facts.flight.when.from ?? Number.NaN;
  const before = volts.filter((value, row) => times[row] < start && times[row] > start - SAG_TIME && value > 0);
  return before.length === 0 ? Number.NaN : quantile(before, 0.9);
}

/** How far the voltage falls under load in the first minute, when the pack is full. */
function checkSag(facts: VehicleFacts, report: ReportBuilder, pack: BatteryPack): void {
  const { times, volts, cells, names, title, instance } = pack;
  const start = facts.flight.when.from;
  if (start === null) return;
  const rest = restOf(facts, pack);
  const early = new Uint8Array(times.length).map((_, row) =>
    times[row] >= start && times[row] < start + SAG_TIME ? 1 : 0,
  );
  const row = extremeRow(volts, early, -1);
  const rule = report.rule('battery', 'sagWarn');
  if (Number.isNaN(rest) || row < 0) {
    report.noData('battery', `${nameOf(pack)}: sag`, 'No voltage before the flight to compare with.');
    return;
  }
  const sag = (rest - volts[row]) / cells;
  report.add({
    check: 'battery',
    severity: sag > rule.value ? 'warn' : 'ok',
    title: `${nameOf(pack)}: sag`,
    instance,
    text: `Voltage sagged from ${short(rest)} V at rest to ${short(volts[row])} V in the first minute: ${short(Math.max(0, sag))} V per cell (${cells} cells).`,
    advice: ADVICE,
    from: times[row],
    to: times[row],
    overall: true,
    value: Math.max(0, sag),
    unit: 'V',
    rule,
    fields: [names.volts ?? title],
  });
}

/** Microseconds before and after a step of the voltage that are compared, and between them. */
const STEP_BEFORE = 3e6;
const STEP_AFTER = 5e6;
const STEP_BETWEEN = 5e5;
/** How much more current explains a lower voltage. */
const MORE_CURRENT = 1.3;

/** A voltage that falls at once and stays low without more current: a cell, a plug or a wire failed. */
function checkStep(facts: VehicleFacts, report: ReportBuilder, pack: BatteryPack): void {
  const { times, volts, values, cells, names, title, instance } = pack;
  const mask = facts.flight.mask(times, STEP_BEFORE);
  const rule = report.rule('battery', 'stepWarn');
  const step = usualStep(times);
  if (!(step > 0) || step > STEP_BETWEEN) return;
  const averages = (of: Float64Array, window: number): Float64Array => smoothed(times, of, window);
  const [early, late] = [averages(volts, STEP_BEFORE), averages(volts, STEP_AFTER)];
  const current = values.current?.some((amperes) => amperes > 0.5) ? values.current : undefined;
  const [early2, late2] = [current && averages(current, STEP_BEFORE), current && averages(current, STEP_AFTER)];
  const [ahead, between] = [Math.round((STEP_BETWEEN + STEP_AFTER) / step), Math.round(STEP_BETWEEN / step)];
  for (let row = between; row + ahead < times.length; row++) {
    const [before, after] = [row - between, row + ahead];
    if (mask[before] === 0 || mask[after] === 0 || !facts.flight.isOne(times[before], times[after])) continue;
    const drop = (early[before] - late[after]) / cells;
    const isExplained = early2 && late2 && late2[after] > MORE_CURRENT * early2[before];
    if (!(drop > rule.value) || isExplained) continue;
    // where it begins: the first row that is most of the way down
    let from = before;
    while (from < after && !(early[before] - volts[from] > (drop * cells) / 2)) from++;
    report.add({
      check: 'battery',
      severity: 'warn',
      title: `${nameOf(pack)}: voltage step`,
      instance,
      text: `Voltage dropped suddenly from ${short(early[before])} to ${short(volts[after])} V and stayed low, without more current.`,
      advice: 'Check each cell, connectors, solder joints and wires, and the power module.',
      from: times[from],
      to: times[after],
      value: drop,
      unit: 'V',
      rule,
      fields: [names.volts ?? title],
    });
    return;
  }
}

/** The logged resistance, else voltage against current over short times. */
function checkResistance(facts: VehicleFacts, report: ReportBuilder, pack: BatteryPack): void {
  const { times, values, volts, cells, names, title, instance } = pack;
  const mask = facts.flight.mask(times);
  const rule = report.rule('battery', 'resistanceWarn');
  const told = toldResistance(pack, mask)?.filter((ohm) => ohm > 0);
  const isTold = told !== undefined && told.length > 0;
  const ohm = isTold ? quantile(told, 0.5) : resistanceOf(times, volts, values.current, mask);
  const where = `${nameOf(pack)}: resistance`;
  if (ohm === undefined) {
    report.noData('battery', where, `Current not measured, or it changed too little ${facts.flight.words}.`);
    return;
  }
  const milliohm = (1000 * ohm) / cells;
  report.add({
    check: 'battery',
    severity: milliohm > rule.value ? 'warn' : 'ok',
    title: where,
    instance,
    text: `Pack resistance is ${short(1000 * ohm)} mΩ, ${short(milliohm)} mΩ per cell (${cells} cells; ${isTold ? 'reported by the autopilot' : 'from voltage against current'}).`,
    advice: `High resistance means an old or cold pack, or bad wires. ${ADVICE}`,
    ...facts.flight.when,
    overall: true,
    value: milliohm,
    unit: 'mΩ',
    rule,
    fields: isTold
      ? [(names.resistance ?? names.cellResistance) as string]
      : [names.volts ?? title, names.current ?? ''],
  });
}

/** The resistance of the pack as the autopilot says it; an estimate of a cell starts as a constant. */
function toldResistance({ values, cells }: BatteryPack, mask: Uint8Array): Float64Array | undefined {
  const { resistance, cellResistance, current } = values;
  if (resistance) return chosen(resistance, mask);
  const estimates = cellResistance && chosen(cellResistance, mask);
  const isEstimated = estimates?.some((ohm) => ohm !== estimates[0]) && current?.some((amperes) => amperes > 0);
  return isEstimated ? estimates?.map((ohm) => ohm * cells) : undefined;
}

/** The slope of voltage against current, both as changes over two seconds, without the slow discharge. */
function resistanceOf(
  times: Float64Array,
  volts: Float64Array,
  current: Float64Array | undefined,
  mask: Uint8Array,
): number | undefined {
  if (!current) return undefined;
  const [voltsThen, currentThen] = [volts, current].map((values) => valuesBefore(times, values, 2e6));
  const [x, y]: number[][] = [[], []];
  for (let row = 0; row < times.length; row++) {
    const [amperes, fallen] = [current[row] - currentThen[row], voltsThen[row] - volts[row]];
    if (mask[row] === 0 || Number.isNaN(amperes + fallen)) continue;
    x.push(amperes);
    y.push(fallen);
  }
  const amperes = Float64Array.from(x);
  if (x.length < ENOUGH_ROWS || !(quantile(amperes, 0.95) - quantile(amperes, 0.05) > ENOUGH_CURRENT)) return undefined;
  const { slope, correlation } = regression(amperes, Float64Array.from(y));
  return correlation > 0.5 && slope > 0 ? slope : undefined;
}

/** No cell of any chemistry has more; a pack known only as a whole is in its first cell. */
const CELL_MOST = 5;

/** How far the cells of a pack are apart. */
export async function checkCells(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  for (const { times, values, names, instance } of await facts.read(BATTERY_CELLS)) {
    const cells = Object.entries(values).flatMap(([key, volts]) =>
      volts?.some((value) => value > 1 && value < CELL_MOST) ? [{ key, volts }] : [],
    );
    const isWhole = Object.values(values).some((volts) => volts?.some((value) => value >= CELL_MOST && value < 60));
    if (cells.length < 2 || isWhole) continue;
    const spread = times.map((_, row) => {
      const now = cells.map(({ volts }) => volts[row]).filter((value) => value > 1);
      return now.length < 2 ? Number.NaN : Math.max(...now) - Math.min(...now);
    });
    judgeLevel(report, {
      check: 'battery',
      title: instance === '' ? 'Battery: cells' : `Battery ${instance}: cells`,
      instance,
      times,
      lines: [{ name: `the spread of ${cells.length} cells, from ${names[cells[0].key]} on,`, values: spread }],
      unit: 'V',
      warn: report.rule('battery', 'spreadWarn'),
      fail: report.rule('battery', 'spreadFail'),
      hold: report.micros('battery', 'hold'),
      meaning: 'One cell is weaker and empties first.',
      advice: 'Balance the pack, and retire it if the cells drift apart again.',
    });
  }
  facts.forget(BATTERY_CELLS);
}
