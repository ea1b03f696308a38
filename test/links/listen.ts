import { type LinkNameOptions, parseLink } from '../../src/live/link-name.ts';
import type { LinkState } from '../../src/live/link-state.ts';
import { type Link, type LinkOptions, makeLink } from '../../src/session/links.ts';
import { until } from '../helpers/until.ts';

/** A link under test, and all that it told. */
export interface Heard {
  readonly link: Link;
  readonly pieces: { readonly bytes: Uint8Array; readonly time: number; readonly from: string }[];
  /** Each state that it was told of, in turn. */
  readonly states: LinkState['state'][];
  /** All bytes in one. */
  bytes(): Buffer;
}

export function listen(text: string, options: LinkOptions = {}, names: LinkNameOptions = {}): Heard {
  const pieces: Heard['pieces'] = [];
  const states: Heard['states'] = [];
  const link = makeLink(
    parseLink(text, names),
    {
      bytes: (_, bytes, time, from) => pieces.push({ bytes, time, from }),
      state: ({ state }) => states.push(state.state),
    },
    options,
  );
  link.open();
  return { link, pieces, states, bytes: () => Buffer.concat(pieces.map((piece) => piece.bytes)) };
}

/** The port at which a link listens. */
export async function portOf(link: Link): Promise<number> {
  await until(() => link.local !== null);
  return Number(/\d+$/.exec(link.local ?? '')?.[0]);
}
