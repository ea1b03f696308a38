// The same as behind.test.ts at the figure of a release; SKEIN_FUZZ asks for another, SKEIN_SEED for another beginning.
import { behindSuite } from '../suite/behind-suite.ts';

behindSuite(Number(process.env.SKEIN_FUZZ ?? 100_000));
