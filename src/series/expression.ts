import type { Log } from '../core/log.ts';
import type { RecordTable } from '../core/table.ts';
import { type ResolvedField, resolveFields } from './expression-catalogue.ts';
import { type ExpressionFunction, FUNCTIONS, not, OPERATORS, STEP_OPERATORS } from './expression-functions.ts';
import { parseExpression } from './expression-parser.ts';
import { type CallNode, type Expression, ExpressionError, type ExpressionNode } from './expression-tree.ts';
import { elementsOf, joinedNumbers, Series } from './series.ts';

/*
 * Fields have different rates, so each part of an expression has the times of the first field named in it (of
 * `where` the first in what it chooses from). What it is combined with is taken to these times: on the line between
 * two samples, or held where the series says so. So filters see all samples of their field, at its own rate.
 */

/** A number that is the same at all times, or a series. */
type Operand = number | Series;

/** The values of an expression. @param series the samples of `expression.fields`, in their order */
export function evaluateExpression(expression: Expression, series: readonly Series[]): Series {
  if (expression.fields.length === 0) {
    throw new ExpressionError('an expression without a field has no times', 0, expression.text.length);
  }
  if (series.length < expression.fields.length) {
    throw new RangeError(`expression of ${expression.fields.length} fields, given ${series.length} series`);
  }
  const fields = orderAll(series);
  const result = new Evaluation(fields).of(expression.root);
  if (typeof result !== 'number') return result;
  const { times } = fields[0];
  return new Series(times, new Float64Array(times.length).fill(result), true);
}

/** Puts series in the order of time, so that those that had their times in common still have. */
function orderAll(series: readonly Series[]): Series[] {
  const ordered = new Map<Float64Array, Float64Array>();
  return series.map((each) => {
    const sorted = each.ordered();
    const times = ordered.get(each.times) ?? sorted.times;
    ordered.set(each.times, times);
    return new Series(times, sorted.values, sorted.isHeld);
  });
}

class Evaluation {
  private readonly fields: readonly Series[];

  constructor(fields: readonly Series[]) {
    this.fields = fields;
  }

  of(node: ExpressionNode): Operand {
    switch (node.kind) {
      case 'number':
        return node.value;
      case 'field':
        return this.fields[node.index];
      case 'unary': {
        const operand = [this.of(node.operand)];
        return node.operator === 'not' ? combine(operand, not, true) : combine(operand, (value) => -value);
      }
      case 'binary': {
        const of = OPERATORS.get(node.operator);
        if (!of) throw new RangeError(`operator ${node.operator} is not known`);
        return combine([this.of(node.left), this.of(node.right)], of, STEP_OPERATORS.has(node.operator));
      }
      case 'call':
        return this.call(node);
    }
  }

  private call(node: CallNode): Operand {
    const found = FUNCTIONS.get(node.name);
    if (!found) throw new RangeError(`function ${node.name} is not known`);
    const operands = node.arguments.map((each) => this.of(each));
    const [subject] = operands;
    if (found.each && !(found.summary && operands.length === 1)) {
      return combine(operands, found.each, found.isStep, found.order);
    }
    const parameter = parameterOf(node, found, operands[1]);
    if (typeof subject === 'number') {
      const { position, end } = node.arguments[0];
      throw new ExpressionError(`${node.name} needs a field, not a number`, position, end - position);
    }
    if (found.series) return found.series(subject, parameter);
    return found.summary ? found.summary(subject.values, parameter) : Number.NaN;
  }
}

function parameterOf(node: CallNode, { parameter, usage }: ExpressionFunction, given: Operand | undefined): number {
  const number = given ?? parameter?.number ?? Number.NaN;
  if (!parameter) return number as number;
  const { position, end } = node.arguments[1] ?? node;
  if (typeof number !== 'number') {
    throw new ExpressionError(`${usage} needs a number there, not a field`, position, end - position);
  }
  if (!Number.isFinite(number) || (parameter.isPositive && number <= 0)) {
    const wanted = parameter.isPositive ? 'a number above 0' : 'a finite number';
    throw new ExpressionError(`${usage} needs ${wanted}, not ${number}`, position, end - position);
  }
  return number;
}

/** Takes all operands to the times of one of them, and computes value by value. */
function combine(
  operands: readonly Operand[],
  of: (...values: number[]) => number,
  isStep = false,
  order: readonly number[] = operands.map((_, i) => i),
): Operand {
  const isSeries = (operand: Operand): operand is Series => typeof operand !== 'number';
  const base = order.map((i) => operands[i]).find(isSeries);
  if (!base) return of(...(operands as number[]));
  const { times } = base;
  const columns = operands.map((operand) =>
    isSeries(operand) ? operand.resample(times) : new Float64Array(times.length).fill(operand),
  );
  const isHeld = isStep || operands.filter(isSeries).every((each) => each.isHeld);
  return new Series(times, computed(columns, of, times.length), isHeld);
}

function computed(columns: readonly Float64Array[], of: (...values: number[]) => number, length: number): Float64Array {
  const out = new Float64Array(length);
  const [a, b, c] = columns;
  // most have one or two operands, and spreading an array for each value takes ten times as long
  if (columns.length === 1) for (let i = 0; i < length; i++) out[i] = of(a[i]);
  else if (columns.length === 2) for (let i = 0; i < length; i++) out[i] = of(a[i], b[i]);
  else if (columns.length === 3) for (let i = 0; i < length; i++) out[i] = of(a[i], b[i], c[i]);
  else for (let i = 0; i < length; i++) out[i] = of(...columns.map((column) => column[i]));
  return out;
}

/** The values of an expression over the fields of a log, as `sqrt(IMU[0].AccX^2 + IMU[0].AccY^2)`. */
export async function readExpression(log: Pick<Log, 'tables'>, text: string): Promise<Series> {
  const expression = parseExpression(text);
  const fields = resolveFields(expression, log.tables);
  const series: (Series | undefined)[] = fields.map(() => undefined);
  // all fields of one table in one pass, so that they share their times
  for (const { tables } of fields) {
    const own = fields.flatMap((each, i) => (each.tables[0] === tables[0] && !series[i] ? [i] : []));
    if (own.length === 0) continue;
    const read = await readSeries(
      tables,
      own.map((i) => fields[i]),
    );
    for (const [k, i] of own.entries()) series[i] = read[k];
  }
  return evaluateExpression(expression, series as Series[]);
}

async function readSeries(tables: readonly RecordTable[], fields: readonly ResolvedField[]): Promise<Series[]> {
  const names = [...new Set(fields.map(({ field }) => field.name))];
  const parts = await Promise.all(tables.map((table) => table.timedColumns(names)));
  const times = joinedNumbers(parts.map((part) => part.times));
  return fields.map(({ field, element, isHeld }) => {
    const values = parts.map(({ columns }) => elementsOf(columns[names.indexOf(field.name)], element));
    return new Series(times, joinedNumbers(values), isHeld);
  });
}
