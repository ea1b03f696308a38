/** What the protocol itself can carry. */
export const MAX_MESSAGE_ID = 0xff_ffff;
export const MAX_PAYLOAD = 255;
export const MAX_FIELDS = 64;
