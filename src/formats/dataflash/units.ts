import { isNumeric, type Schema } from '../../core/schema.ts';
import { pairs } from '../../core/text.ts';

/** What the firmware means by a unit or multiplier character where the log has FMTU but lost its UNIT or MULT. */
const DEFAULT_UNITS: ReadonlyMap<string, string> = new Map(
  pairs(
    '-= ?=UNKNOWN A=A a=Ah d=deg b=B B=B/s k=deg/s D=deglatitude e=deg/s/s E=rad/s G=Gauss h=degheading i=A.s ' +
      'J=W.s l=l L=rad/s/s m=m n=m/s o=m/s/s O=degC %=% S=satellites s=s t=N.m q=rpm r=rad U=deglongitude u=ppm v=V ' +
      'P=Pa w=Ohm W=Watt X=W.h y=l/s Y=us z=Hz #=instance',
  ),
);

const DEFAULT_MULTIPLIERS: ReadonlyMap<string, number> = new Map(
  pairs('-=0 ?=1 2=100 1=10 0=1 A=0.1 B=0.01 C=1e-3 D=1e-4 E=1e-5 F=1e-6 G=1e-7 I=1e-9 !=3.6 /=3600').map(
    ([multiplier, factor]) => [multiplier, Number(factor)],
  ),
);

const PREFIXES: ReadonlyMap<number, string> = new Map([
  [0.1, 'd'],
  [0.01, 'c'],
  [1e-3, 'm'],
  [1e-6, 'µ'],
  [1e-9, 'n'],
]);

/** Characters whose values the format itself scales. */
const SCALED = 'cCeEL';

/** What a FMTU record says of a type, and how the type writes its values. */
export interface Assignment {
  readonly units: string;
  readonly multipliers: string;
  readonly format: string;
  /** Whether values are written as text, after scaling. */
  readonly text: boolean;
}

/** Units by UNIT, MULT and FMTU records, which may come in any order: applied when all are read. */
export class Units {
  private readonly labels: Map<string, string> = new Map(DEFAULT_UNITS);
  private readonly factors: Map<string, number> = new Map(DEFAULT_MULTIPLIERS);
  private readonly assigned: Map<Schema, Assignment> = new Map();
  private readonly shared: Map<Schema, Schema> = new Map();

  /** Grows with each label and factor that is another one than before. */
  changes = 0;

  /** A UNIT record. */
  label(id: number, label: string): void {
    this.learn(this.labels, id, label);
  }

  /** A MULT record: the number was a float once, so that it holds seven digits. */
  factor(id: number, factor: number): void {
    this.learn(this.factors, id, Number(factor.toPrecision(7)));
  }

  private learn<T>(values: Map<string, T>, id: number, value: T): void {
    const character = String.fromCharCode(id & 0xff);
    if (Object.is(values.get(character), value)) return;
    values.set(character, value);
    this.changes++;
  }

  /** A FMTU record about a type that has this schema. */
  assign(schema: Schema, assignment: Assignment): void {
    this.assigned.set(schema, assignment);
    // at once, for a log that is still being written; again at the end, when all labels and factors are known
    this.applyTo(schema, assignment);
  }

  /** A schema that has the same fields as another. */
  share(schema: Schema, other: Schema): void {
    this.shared.set(other, schema);
  }

  /** Gives fields their units. A field scaled by its format character has its multiplier in the value already. */
  apply(): void {
    for (const [other, schema] of this.shared) {
      const assignment = this.assigned.get(schema);
      if (assignment) this.assigned.set(other, assignment);
    }
    for (const [schema, assignment] of this.assigned) this.applyTo(schema, assignment);
  }

  private applyTo(schema: Schema, { units, multipliers, format, text }: Assignment): void {
    for (let i = 0; i < schema.fields.length; i++) {
      const field = schema.fields[i];
      const unit = this.labels.get(units[i] ?? '-') ?? '';
      const factor = this.factors.get(multipliers[i] ?? '-') ?? 0;
      const scales = factor !== 0 && multipliers[i] !== '?' && isNumeric(field.type) && Number.isFinite(factor);
      const scaled = SCALED.includes(format[i]);
      field.siUnit = unit;
      field.multiplier = scales && !(scaled && text) ? factor : undefined;
      field.unit = scales && !scaled ? prefixed(unit, factor) : unit;
    }
  }
}

function prefixed(unit: string, factor: number): string {
  if (unit === '' || factor === 1) return unit;
  const prefix = PREFIXES.get(factor);
  return prefix === undefined ? `${Number(factor.toPrecision(4))} ${unit}` : prefix + unit;
}
