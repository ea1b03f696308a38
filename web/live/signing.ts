import type { LinkCountsWire } from '../../src/server/wire.ts';

/** What is to be said of the signatures of a link. */
export interface Signing {
  readonly text: string;
  readonly look: 'good' | 'warn' | 'bad' | 'dim';
  /** How many frames had which outcome. */
  readonly title: string;
}

const REFUSED = ['unsigned', 'bad-signature', 'replayed', 'outdated', 'premature', 'too-many-streams'];

/** https://mavlink.io/en/guide/message_signing.html */
export function signingOf(counts: LinkCountsWire | undefined): Signing {
  const { messages = 0, signatures = {} } = counts ?? {};
  const count = (outcome: string): number => signatures[outcome] ?? 0;
  const title = Object.entries(signatures)
    .map(([outcome, frames]) => `${outcome}: ${frames}`)
    .join('\n');
  const refused = REFUSED.reduce((sum, outcome) => sum + count(outcome), 0);
  if (refused > 0) return { text: `✕ ${refused} refused`, look: 'bad', title };
  if (count('valid') > 0 && count('tolerated') > 0) return { text: '▲ partly signed', look: 'warn', title };
  if (count('valid') > 0) return { text: '✓ signed', look: 'good', title };
  if (count('tolerated') > 0) return { text: '▲ not signed, accepted', look: 'warn', title };
  if (count('unchecked') > 0) return { text: 'signed, no key here', look: 'warn', title };
  return { text: messages > 0 ? 'not signed' : '–', look: 'dim', title };
}
