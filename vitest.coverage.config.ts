import { defineConfig } from 'vitest/config';
import { TallyReporter } from './test/helpers/reporter.ts';

// How much of core, time and formats the tests beside the code and the quick ones of the formats reach: 92.1 % of branches,
// 93.2 % with those left out here, which take as long as all others. Fewer than the threshold fail the build.
export default defineConfig({
  test: {
    include: [
      'src/{core,time,formats}/**/*.test.ts',
      'test/formats/{ulog,ubx,pcap,nmea,mixed}/*.test.ts',
      'test/formats/kinds.test.ts',
    ],
    exclude: [
      'test/formats/**/{*flood,cli,export}.test.ts',
      'test/formats/{ulog/damage,pcap/pcap,mixed/mixed}.test.ts',
    ],
    // the short versions: the main run has the long ones
    env: { CI: '', SKEIN_ALL: '' },
    isolate: false,
    reporters: ['default', new TallyReporter()],
    testTimeout: 120_000,
    // some measure time, which is for the main run to judge
    retry: 3,
    coverage: {
      enabled: true,
      provider: 'v8',
      include: ['src/{core,time,formats}/**/*.ts'],
      exclude: ['src/**/*.test.ts'],
      reporter: ['text-summary', 'json-summary', 'json'],
      thresholds: { branches: 90 },
    },
  },
});
