import { expect, test } from 'vitest';
import { builtinDialect } from '../../../src/formats/mavlink/dialect/builtin.ts';
import { roundTripDifference } from '../../suite/mavlink-round-trip.ts';

test('1,000,000 random MAVLink messages over all definitions make the round trip', () => {
  expect(roundTripDifference(builtinDialect(), 1_000_000, 2)).toBeUndefined();
});
