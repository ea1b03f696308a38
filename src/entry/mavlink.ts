/**
 * MAVLink: parsing, encoding and signing of frames, and dialects.
 *
 * @module skein/mavlink
 * @example
 * import { builtinDialect, Encoder, MavlinkParser } from 'skein/mavlink';
 *
 * const encoder = new Encoder(builtinDialect(), { system: 1, component: 1 });
 * const { name, valid } = new MavlinkParser().parse(encoder.message('HEARTBEAT', { type: 2, autopilot: 3 }));
 * console.log(name, valid);
 */

export { builtinDialect, builtinDialects } from '../formats/mavlink/dialect/builtin.ts';
export type { Dialect, MessageDefinition, MessageField } from '../formats/mavlink/dialect/definition.ts';
export { type DialectConflict, mergeDialects } from '../formats/mavlink/dialect/merge.ts';
export type { MessageName, Messages, SendValues } from '../formats/mavlink/dialect/messages.ts';
export { Encoder, encodeMessage } from '../formats/mavlink/encode.ts';
export { SigningKey } from '../formats/mavlink/key.ts';
export type { MavlinkOptions } from '../formats/mavlink/options.ts';
export { MavlinkParser, type ParsedPacket } from '../formats/mavlink/parser.ts';
export {
  type SignatureVerdict,
  Signer,
  type SignerOptions,
  stampOf,
  Verifier,
  type VerifierOptions,
} from '../formats/mavlink/signing.ts';
export { FrameSplitter, type SplitSink } from '../live/frame-splitter.ts';
