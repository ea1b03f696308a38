// Everything that lies behind the decoders, over logs whose structure holds and whose values are hostile.
import { many } from '../helpers/long.ts';
import { behindSuite } from '../suite/behind-suite.ts';

behindSuite(Number(process.env.SKEIN_FUZZ ?? many(1000, 50)));
